// Amounts as areas. Small ones are summed up in one rectangle, so that the whole is the whole.
import { createMemo, createSignal, For, type JSX, onCleanup } from 'solid-js';
import { smallWidth } from '../format/width';
import { Swatch } from '../table/Swatch';
import { labelOf } from './tree';
import { treemap } from './treemap';

export interface TreemapItem {
  readonly name: string;
  readonly detail: string;
  readonly amount: string;
  readonly value: number;
  readonly color: string; // CSS variable
  readonly group?: string; // what its colour means
  readonly href?: string | undefined;
}

const most = 80;
const padding = 12;
const lineHeight = 17;

export function Treemap(props: {
  items: readonly TreemapItem[];
  label: string;
  height: number;
  show: (value: number) => string;
}): JSX.Element {
  const [width, setWidth] = createSignal(600);
  const observer = new ResizeObserver(entries => setWidth(entries[0]?.contentRect.width ?? 600));
  onCleanup(() => observer.disconnect());
  const items = createMemo<readonly TreemapItem[]>(() => {
    const sorted = props.items.filter(item => item.value > 0).sort((a, b) => b.value - a.value);
    if (sorted.length <= most) return sorted;
    const rest = sorted.slice(most - 1);
    const value = rest.reduce((sum, item) => sum + item.value, 0);
    const other = {
      name: `${rest.length} smaller ones`,
      detail: '',
      amount: props.show(value),
      value,
      color: 'idle-gap',
      group: 'smaller ones',
    };
    return [...sorted.slice(0, most - 1), other];
  });
  const rects = createMemo(() =>
    treemap(
      items().map(item => item.value),
      width(),
      props.height,
    ),
  );
  const groups = createMemo(() => {
    const colors = new Map<string, string>(); // in the order of the items: the largest first
    for (const item of items()) if (item.group && !colors.has(item.group)) colors.set(item.group, item.color);
    return [...colors];
  });
  return (
    <>
      <div
        class="treemap"
        role="group"
        aria-label={props.label}
        ref={element => observer.observe(element)}
        style={{ height: `${props.height}px` }}
      >
        <For each={rects()}>
          {rect => {
            const item = items()[rect.index]!;
            const box = {
              left: `${rect.x}px`,
              top: `${rect.y}px`,
              width: `${rect.width}px`,
              height: `${rect.height}px`,
              '--fill': `var(--${item.color})`,
            };
            const room = rect.width - padding;
            const lines = Math.floor((rect.height - 6) / lineHeight);
            const fits = lines > 1 && smallWidth(item.amount) <= room;
            const text = (
              <>
                {lines > 0 ? labelOf(item.name, room, smallWidth) : ''}
                <span class="amount">{fits ? item.amount : ''}</span>
              </>
            );
            const title = `${item.name}\n${item.amount}\n${item.detail}`;
            return item.href ? (
              <a href={item.href} title={title} aria-label={title} style={box}>
                {text}
              </a>
            ) : (
              <div title={title} style={box}>
                {text}
              </div>
            );
          }}
        </For>
      </div>
      <ul class="legend">
        <For each={groups()}>
          {([name, color]) => (
            <li>
              <Swatch color={color} />
              {name}
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
