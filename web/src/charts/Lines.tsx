// Values over time as steps: a value holds until the next one.
import { createMemo, type JSX } from 'solid-js';
import uPlot from 'uplot';
import { color } from '../app/theme';
import { chooseStyle, formatNumber, time, type Unit } from '../format/numbers';
import { axis, Chart, roundSplits } from './Chart';

export interface Line {
  readonly name: string;
  readonly color: string; // CSS variable
  readonly values: readonly (number | null)[];
}

export interface LinesProps {
  readonly label: string;
  readonly at: readonly number[]; // ps, or positions
  readonly atUnit: 'ps' | '';
  readonly atName: string;
  readonly lines: readonly Line[];
  readonly unit: Unit;
  readonly limit?: { readonly name: string; readonly value: number } | undefined;
  readonly height?: number;
  readonly describe?: (index: number) => string; // of a place on the x axis
  readonly joined?: boolean; // by straight lines, for values that hold at their place only
  readonly onPick?: (index: number) => void;
}

export function Lines(props: LinesProps): JSX.Element {
  const lines = createMemo(() => props.lines);
  const numbers = createMemo(() => lines().flatMap(line => line.values.filter(value => value !== null)));
  const style = createMemo(() => chooseStyle(props.unit, true, numbers()));
  const atStyle = createMemo(() => chooseStyle(props.atUnit, true, [props.at.at(-1) ?? 0]));
  const placeAt = (i: number): string => {
    const at = props.at[i] ?? 0;
    return `${props.atName} ${props.describe?.(i) ?? (props.atUnit === 'ps' ? time(at) : String(at))}`;
  };
  const write = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : `${formatNumber(style(), value)} ${style().unit}`;
  const options = (): Omit<uPlot.Options, 'width' | 'height'> => ({
    padding: [8, 26, 0, 0],
    scales: { x: { time: false }, y: { range: (_, _low, high) => [0, high * 1.08 || 1] } },
    axes: [
      axis({
        size: 28,
        values: (_, at) =>
          at.map(value =>
            props.atUnit === '' && !Number.isInteger(value)
              ? '' // half an instruction, half a device
              : `${+(value / atStyle().divisor).toPrecision(6)} ${atStyle().unit}`,
          ),
      }),
      axis({
        size: 64,
        splits: roundSplits(style().divisor),
        values: (_, at) =>
          at.map(value =>
            value === 0 ? '0' : `${+(value / style().divisor).toPrecision(4)} ${style().unit}`,
          ),
      }),
    ],
    cursor: { drag: { x: true, y: false } },
    series: [
      {
        label: '\u00a0', // what is hovered says what it is
        value: (_, value, __, i) => (value === null || i === null ? '' : placeAt(i)),
      },
      ...lines().map(line => ({
        label: line.name,
        stroke: color(line.color),
        ...(props.joined ? {} : { fill: `color-mix(in srgb, ${color(line.color)} 14%, transparent)` }),
        width: 1.5,
        points: { show: props.joined ?? false },
        paths: props.joined ? uPlot.paths.linear!() : uPlot.paths.stepped!({ align: 1 }),
        value: (_: uPlot, value: number | null) => write(value),
      })),
    ],
  });
  const data = (): uPlot.AlignedData => [[...props.at], ...lines().map(line => [...line.values])];
  return (
    <Chart
      height={props.height ?? 220}
      label={props.label}
      options={options}
      data={data()}
      {...(props.onPick ? { onPick: props.onPick } : {})}
      say={i =>
        `${placeAt(i)}: ${lines()
          .map(line => `${line.name} ${write(line.values[i])}`)
          .join(', ')}`
      }
    />
  );
}
