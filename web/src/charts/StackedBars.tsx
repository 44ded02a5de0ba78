// Bars stacked by part: one bar per step, usually.
import type { JSX } from 'solid-js';
import uPlot from 'uplot';
import { color } from '../app/theme';
import { chooseStyle, formatNumber, type Unit } from '../format/numbers';
import { axis, Chart, roundSplits } from './Chart';
import { type Part, stack } from './stack';

export interface StackedBarsProps {
  readonly label: string;
  readonly names: readonly (string | number)[]; // of the bars
  readonly nameOf: string; // what a bar is: "step"
  readonly parts: readonly Part[];
  readonly unit: Unit;
  readonly height?: number;
  readonly onPick?: (index: number) => void;
}

export function StackedBars(props: StackedBarsProps): JSX.Element {
  const stacked = () => stack(props.parts);
  const style = () => chooseStyle(props.unit, true, stacked().sums.at(-1) ?? []);
  const options = (): Omit<uPlot.Options, 'width' | 'height'> => {
    const { parts } = stacked();
    const bars = uPlot.paths.bars!({ size: [0.86, 64], gap: 0 });
    const ordered = [...parts.entries()].reverse();
    return {
      padding: [8, 8, 0, 0],
      scales: {
        x: { time: false, range: (_, low, high) => [low - 0.6, high + 0.6] },
        y: { range: (_, _low, high) => [0, high * 1.05 || 1] },
      },
      axes: [
        axis({ grid: { show: false }, size: 28, values: (_, at) => at.map(i => barName(props.names, i)) }),
        axis({
          size: 64,
          splits: roundSplits(style().divisor),
          values: (_, at) =>
            at.map(value =>
              value === 0 ? '0' : `${+(value / style().divisor).toPrecision(4)} ${style().unit}`,
            ),
        }),
      ],
      cursor: { points: { show: false }, drag: { x: true, y: false } },
      legend: { live: true },
      series: [
        { label: props.nameOf, value: (_, i) => (i === null ? '' : barName(props.names, i)) },
        ...ordered.map(([, part]) => ({
          label: part.name,
          fill: color(part.color),
          stroke: color(part.color),
          width: 0,
          points: { show: false },
          paths: bars,
          value: (_: uPlot, _value: number | null, _series: number, i: number | null) =>
            i === null ? '' : `${formatNumber(style(), part.values[i])} ${style().unit}`,
        })),
      ],
    };
  };
  const data = (): uPlot.AlignedData => [props.names.map((_, i) => i), ...[...stacked().sums].reverse()];
  return (
    <Chart
      height={props.height ?? 240}
      label={props.label}
      options={options}
      data={data()}
      {...(props.onPick ? { onPick: props.onPick } : {})}
    />
  );
}

const barName = (names: readonly (string | number)[], i: number): string =>
  Number.isInteger(i) ? String(names[i] ?? '') : '';
