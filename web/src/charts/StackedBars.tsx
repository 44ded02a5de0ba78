// Bars stacked by part: one bar per step, usually.
import type { JSX } from 'solid-js';
import type uPlot from 'uplot';
import { color } from '../app/theme';
import { chooseStyle, formatNumber, type Unit } from '../format/numbers';
import { axis, Chart, roundSplits } from './Chart';
import { type Part, type Rectangle, rectangles, stack } from './stack';

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
      hooks: {
        drawSeries: [
          (plot, series) => {
            if (series > 0) drawBars(plot, series, color(ordered[series - 1]![1].color));
          },
        ],
      },
      series: [
        { label: props.nameOf, value: (_, i) => (i === null ? '' : barName(props.names, i)) },
        ...ordered.map(([, part]) => ({
          label: part.name,
          fill: color(part.color),
          stroke: color(part.color),
          width: 0,
          points: { show: false },
          paths: () => null, // drawn below
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

// Rectangles on whole pixels: a path of as many bars takes a browser without a GPU a tenth of a second.
function drawBars(plot: uPlot, series: number, fill: string): void {
  if (plot.series[series]?.show === false) return;
  const { left, top, width, height } = plot.bbox;
  const at = (index: number): number => plot.valToPos(index, 'x', true);
  const base = plot.valToPos(0, 'y', true);
  const bars = Array.from(plot.data[series]!, (value, i): Rectangle => {
    const half = Math.min(0.43 * (at(1) - at(0)), 32 * devicePixelRatio);
    return { left: at(i) - half, right: at(i) + half, top: plot.valToPos(value ?? 0, 'y', true) };
  });
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(left, top, width, height);
  plot.ctx.clip();
  plot.ctx.fillStyle = fill;
  for (const bar of rectangles(bars)) {
    plot.ctx.fillRect(bar.left, bar.top, bar.right - bar.left, base - bar.top);
  }
  plot.ctx.restore();
}

const barName = (names: readonly (string | number)[], i: number): string =>
  Number.isInteger(i) ? String(names[i] ?? '') : '';
