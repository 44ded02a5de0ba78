// How values spread: bars between edges. Dragging over it selects a range.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { count, plural } from '../format/numbers';

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
  const markAt = (): number | undefined => {
    const value = props.mark;
    if (value === undefined) return undefined;
    const i = props.edges.findIndex(
      (edge, k) => value >= edge && value <= (props.edges[k + 1] ?? Number.NaN),
    );
    if (i < 0) return undefined;
    const width = props.edges[i + 1]! - props.edges[i]!;
    return i + (width > 0 ? (value - props.edges[i]!) / width : 0.5);
  };
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${n()} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(
          props.counts.reduce((a, b) => a + b, 0),
          props.noun ?? 'execution',
        )} between ${props.show(props.edges[0]!)} and ${props.show(props.edges.at(-1)!)}`}
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
        <Show when={markAt()}>
          {at => <line x1={at()} x2={at()} y1="0" y2="100" vector-effect="non-scaling-stroke" />}
        </Show>
      </svg>
      <figcaption class="small muted">
        <span>{props.show(props.edges[0]!)}</span>
        <span>
          <Show when={hover() !== undefined} fallback={props.onRange ? 'drag to select' : ''}>
            {count(props.counts[hover()!])} in {props.show(props.edges[hover()!]!)} –{' '}
            {props.show(props.edges[hover()! + 1]!)}
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
