// A tree as an icicle: click a node to look into it, click the top one to go back up. Nodes are buttons, so
// keys and screen readers reach them.
import { createMemo, createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { smallWidth } from '../format/width';
import { type Cell, findNode, icicle, labelOf, type Node } from './tree';

export interface IcicleProps {
  readonly root: Node;
  readonly top: string; // key of the node that fills the width
  readonly chosen?: string | undefined;
  readonly show: (node: Node) => string; // the amount
  readonly colorOf?: (node: Node) => string; // CSS variable; the node's own when left out
  readonly onPick: (node: Node) => void;
  readonly label: string;
  readonly rows?: number; // of the place that is kept for it
  readonly part?: (node: Node) => { share: number; color: string } | undefined; // that is shaded
}

const rowHeight = 22;
const least = 0.0015;
const cellPadding = 7;
const leastWithAmount = 0.04; // of the width

export function Icicle(props: IcicleProps): JSX.Element {
  const [width, setWidth] = createSignal(1000);
  const observer = new ResizeObserver(entries => setWidth(entries[0]?.contentRect.width ?? 1000));
  onCleanup(() => observer.disconnect());
  const top = createMemo(() => findNode(props.root, props.top) ?? props.root);
  const cells = createMemo(() => icicle(top(), least));
  const deepest = createMemo(() => cells().reduce((most, cell) => Math.max(most, cell.depth), 0));
  const pick = (node: Node): void => {
    const parent = node.key.split('\u001f').slice(0, -1).join('\u001f');
    props.onPick(node === top() ? (findNode(props.root, parent) ?? props.root) : node);
  };
  const room = (cell: Cell): number => cell.width * width() - cellPadding;
  const label = (cell: Cell): string => labelOf(cell.node.name, room(cell), smallWidth);
  const amountFits = (cell: Cell): boolean =>
    smallWidth(label(cell)) + 8 + smallWidth(props.show(cell.node)) <= room(cell);
  return (
    <div
      class="icicle"
      role="group"
      aria-label={props.label}
      ref={element => observer.observe(element)}
      style={{ height: `${rowHeight * Math.max(deepest() + 1, props.rows ?? 0)}px` }}
    >
      <For each={cells()}>
        {cell => (
          <button
            type="button"
            classList={{ chosen: cell.node.key === props.chosen, root: cell.depth === 0 }}
            title={`${cell.node.name}\n${props.show(cell.node)}`}
            aria-label={`${cell.node.name}, ${props.show(cell.node)}`}
            style={{
              left: `${100 * cell.left}%`,
              width: `${100 * cell.width}%`,
              top: `${rowHeight * cell.depth}px`,
              '--fill': `var(--${props.colorOf?.(cell.node) ?? cell.node.color})`,
            }}
            onClick={() => pick(cell.node)}
          >
            <Show when={props.part?.(cell.node)}>
              {part => (
                <span
                  class="net"
                  style={{
                    width: `${100 * part().share}%`,
                    background: `color-mix(in srgb, var(--${part().color}) 55%, var(--ground))`,
                  }}
                />
              )}
            </Show>
            {label(cell)}
            <Show when={cell.width > leastWithAmount && amountFits(cell)}>
              <span class="amount">{props.show(cell.node)}</span>
            </Show>
          </button>
        )}
      </For>
    </div>
  );
}
