// A tree as an icicle: click a node to look into it, click the top one to go back up. Nodes are buttons, of
// which Tab reaches one; the arrow keys go from node to node.
import { createMemo, createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { smallWidth } from '../format/width';
import { type Cell, findNode, icicle, labelOf, moveInIcicle, type Node } from './tree';

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
  const [last, setLast] = createSignal<string | undefined>(); // key of the node that had the focus last
  const current = createMemo(() => cells().find(cell => cell.node.key === last()) ?? cells()[0]);
  let place!: HTMLDivElement;
  const focusCurrent = (): void => place.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = current();
    const next = from && moveInIcicle(cells(), from, event.key);
    if (!next) return;
    setLast(next.node.key);
    focusCurrent();
    event.preventDefault();
    event.stopPropagation(); // the page has keys of its own
  };
  const pick = (node: Node): void => {
    queueMicrotask(focusCurrent); // all nodes are made anew
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
      aria-label={`${props.label}; arrow keys go from one to the other`}
      ref={element => {
        place = element;
        observer.observe(element);
      }}
      onKeyDown={onKeyDown}
      style={{ height: `${rowHeight * Math.max(deepest() + 1, props.rows ?? 0)}px` }}
    >
      <For each={cells()}>
        {cell => (
          <button
            type="button"
            tabindex={cell === current() ? 0 : -1}
            onFocus={() => setLast(cell.node.key)}
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
