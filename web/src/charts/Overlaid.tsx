// How two sets of values spread, over each other: bars between common edges, a line at each median.
import { createMemo, For, type JSX } from 'solid-js';
import { chooseStyle, type Unit } from '../format/numbers';
import { Swatch } from '../table/Swatch';
import { overlay } from './overlay';
import { linearTicks } from './ticks';

export interface OverlaidProps {
  readonly label: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly names: readonly [string, string];
  readonly unit: Unit;
}

const mostTicks = 6;

export function Overlaid(props: OverlaidProps): JSX.Element {
  const shape = createMemo(() => overlay(props.before, props.after));
  const ticks = createMemo(() => {
    const { low, high } = shape();
    const { divisor, unit } = chooseStyle(props.unit, false, [high]);
    return linearTicks(low / divisor, high / divisor, mostTicks).map(value => ({
      at: (100 * (value * divisor - low)) / (high - low),
      text: `${+value.toPrecision(6)} ${unit}`,
    }));
  });
  const bars = (counts: readonly number[], kind: string): JSX.Element => (
    <For each={counts}>
      {(value, i) => {
        const height = value === 0 ? 0 : Math.max(3, (100 * value) / shape().highest);
        return <rect class={kind} x={i()} width={1} y={100 - height} height={height} />;
      }}
    </For>
  );
  const mark = (at: number, kind: string): JSX.Element => (
    <line class={kind} x1={at} x2={at} y1="0" y2="100" vector-effect="non-scaling-stroke" />
  );
  return (
    <figure class="overlaid">
      <svg
        viewBox={`0 0 ${shape().before.length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={props.label}
      >
        {bars(shape().before, 'before')}
        {bars(shape().after, 'after')}
        {mark(shape().medians[0], 'before')}
        {mark(shape().medians[1], 'after')}
      </svg>
      <div class="axis small muted">
        <For each={ticks()}>{tick => <span style={{ left: `${tick.at}%` }}>{tick.text}</span>}</For>
      </div>
      <figcaption class="small muted">
        <span>
          <Swatch color="compute" />
          {props.names[0]} ({props.before.length})
        </span>
        <span>
          <Swatch color="communication" />
          {props.names[1]} ({props.after.length})
        </span>
      </figcaption>
    </figure>
  );
}
