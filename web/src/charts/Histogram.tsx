// How values spread: bars between edges. Dragging over it selects a range, and so do the arrow keys and Enter.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { count, plural } from '../format/numbers';
import { type Brush, moveBrush, placeAmong } from './brush';

export interface HistogramProps {
  readonly edges: readonly number[]; // one more than counts
  readonly counts: readonly number[];
  readonly show: (value: number) => string;
  readonly mark?: number | undefined; // a value to point at
  readonly range?: readonly [number, number] | undefined; // the one that is selected
  readonly onRange?: ((range: readonly [number, number] | undefined) => void) | undefined;
  readonly height?: number;
  readonly noun?: string;
}

export function Histogram(props: HistogramProps): JSX.Element {
  const [from, setFrom] = createSignal<number | undefined>();
  const [hover, setHover] = createSignal<number | undefined>();
  const [keyed, setKeyed] = createSignal<Brush | undefined>(); // what the keys are on
  const n = (): number => props.counts.length;
  const highest = (): number => Math.max(1, ...props.counts);
  const barAt = (event: PointerEvent): number => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return Math.max(0, Math.min(n() - 1, Math.floor(((event.clientX - box.left) / box.width) * n())));
  };
  const select = (a: number, b: number): void => {
    const low = Math.min(a, b);
    const high = Math.max(a, b);
    props.onRange?.([props.edges[low]!, props.edges[high + 1]!]);
  };
  const inRange = (i: number): boolean => {
    const range = props.range;
    return !range || (props.edges[i + 1]! > range[0] && props.edges[i]! < range[1]);
  };
  const markAt = (): number | undefined =>
    props.mark === undefined ? undefined : placeAmong(props.edges, props.mark);
  const all = (): string =>
    `${plural(
      props.counts.reduce((a, b) => a + b, 0),
      props.noun ?? 'execution',
    )} between ${props.show(props.edges[0]!)} and ${props.show(props.edges.at(-1)!)}`;
  const between = (low: number, high: number): string =>
    `${count(props.counts.slice(low, high + 1).reduce((a, b) => a + b, 0))} in ${props.show(props.edges[low]!)} – ${props.show(props.edges[high + 1]!)}`;
  const underKeys = (): string => {
    const brush = keyed();
    return brush ? between(Math.min(...brush), Math.max(...brush)) : '';
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const brush = keyed() ?? startOfKeys();
    const next = moveBrush(brush, event.key, event.shiftKey, n());
    if (next) setKeyed(next);
    else if (event.key === 'Enter' || event.key === ' ') select(...brush);
    else if (event.key === 'Escape' && props.range) props.onRange?.(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page has keys of its own
  };
  // What is selected already, else the bar of the value that is pointed at.
  const startOfKeys = (): Brush => {
    const chosen = props.counts.flatMap((_, i) => (props.range && inRange(i) ? [i] : []));
    const marked = Math.min(n() - 1, Math.floor(markAt() ?? 0));
    return chosen.length > 0 ? [chosen[0]!, chosen.at(-1)!] : [marked, marked];
  };
  const forKeys = (): JSX.HTMLAttributes<HTMLDivElement> =>
    props.onRange
      ? {
          tabindex: 0,
          role: 'slider',
          'aria-label': `${all()}; arrow keys choose a length, with Shift a range, Enter selects it, Escape ends it`,
          'aria-valuemin': 0,
          'aria-valuemax': n() - 1,
          'aria-valuenow': keyed()?.[1] ?? 0,
          'aria-valuetext': underKeys() || all(),
          onFocus: event => event.currentTarget.matches(':focus-visible') && setKeyed(startOfKeys()),
          onBlur: () => setKeyed(undefined),
          onKeyDown,
        }
      : {};
  return (
    <figure class="histogram">
      <div {...forKeys()}>
        <svg
          viewBox={`0 0 ${n()} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={all()}
          classList={{ brush: props.onRange !== undefined }}
          style={{ height: `${props.height ?? 72}px` }}
          onPointerDown={event => {
            if (!props.onRange) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setFrom(barAt(event));
          }}
          onPointerMove={event => {
            setHover(barAt(event));
            const start = from();
            if (start !== undefined) select(start, barAt(event));
          }}
          onPointerUp={event => {
            const start = from();
            setFrom(undefined);
            if (start !== undefined) select(start, barAt(event));
          }}
          onPointerLeave={() => setHover(undefined)}
          onDblClick={() => props.onRange?.(undefined)}
        >
          <For each={props.counts}>
            {(value, i) => (
              <rect
                x={i() + 0.04}
                width={0.92}
                y={100 - height(value, highest())}
                height={height(value, highest())}
                classList={{ out: !inRange(i()) }}
              />
            )}
          </For>
          <Show when={keyed()}>
            {brush => (
              <rect
                class="keyed"
                x={Math.min(...brush())}
                width={Math.abs(brush()[1] - brush()[0]) + 1}
                y={0}
                height={100}
                vector-effect="non-scaling-stroke"
              />
            )}
          </Show>
          <Show when={markAt() !== undefined}>
            <line x1={markAt()} x2={markAt()} y1="0" y2="100" vector-effect="non-scaling-stroke" />
          </Show>
        </svg>
      </div>
      <figcaption class="small muted">
        <span>{props.show(props.edges[0]!)}</span>
        <span>
          <Show
            when={hover() !== undefined}
            fallback={keyed() ? `${underKeys()}; Enter selects` : props.onRange ? 'drag to select' : ''}
          >
            {between(hover()!, hover()!)}
          </Show>
        </span>
        <span>{props.show(props.edges.at(-1)!)}</span>
      </figcaption>
    </figure>
  );
}

// What is there is seen, however few.
const height = (value: number, highest: number): number =>
  value === 0 ? 0 : Math.max(2, (100 * value) / highest);
