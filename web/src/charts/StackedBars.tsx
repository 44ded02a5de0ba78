// Bars stacked by part: one bar per step, usually.
import { createMemo, type JSX } from 'solid-js';
import type uPlot from 'uplot';
import { color } from '../app/theme';
import { chooseStyle, formatNumber, type Unit } from '../format/numbers';
import { axis, Chart, roundSplits } from './Chart';
import {
  halfBar,
  highestOf,
  mergeSmall,
  namedSplits,
  type Part,
  type Rectangle,
  rectangles,
  stack,
} from './stack';

export interface StackedBarsProps {
  readonly label: string;
  readonly names: readonly (string | number)[]; // of the bars
  readonly nameOf: string; // what a bar is: "step"
  readonly parts: readonly Part[];
  readonly unit: Unit;
  readonly height?: number;
  readonly onPick?: (index: number) => void;
  readonly faint?: ReadonlySet<number>; // bars that stand back; one much higher than all others is cut
}

const muchHigher = 1.25;
const seen = 1.5; // pixels that a part must have somewhere

export function StackedBars(props: StackedBarsProps): JSX.Element {
  const names = createMemo(() => props.names);
  const faint = createMemo(() => props.faint);
  const height = (): number => props.height ?? 240;
  const stacked = createMemo(() =>
    stack(mergeSmall(props.parts, (seen * highestOf(props.parts)) / height())),
  );
  const heights = createMemo(() => names().map((_, i) => Math.max(0, ...stacked().sums.map(sum => sum[i]!))));
  const depths = createMemo(() => names().map((_, i) => Math.min(0, ...stacked().sums.map(sum => sum[i]!))));
  const style = createMemo(() => chooseStyle(props.unit, true, [...heights(), ...depths()]));
  const bottom = createMemo(() => 1.05 * depths().reduce((least, depth) => Math.min(least, depth), 0));
  // Of all bars, or of those that do not stand back.
  const top = createMemo(() => {
    const sums = heights();
    const highest = (of: readonly number[]): number => of.reduce((most, value) => Math.max(most, value), 0);
    const usual = highest(sums.filter((_, i) => !faint()?.has(i)));
    const all = highest(sums);
    return 1.05 * (usual > 0 && all > muchHigher * usual ? usual : all) || 1;
  });
  const options = (): Omit<uPlot.Options, 'width' | 'height'> => {
    const { parts } = stacked();
    const ordered = [...parts.entries()].reverse();
    return {
      padding: [8, 8, 0, 0],
      scales: {
        x: { time: false, range: (_, low, high) => [low - 0.6, high + 0.6] },
        y: { range: () => [bottom(), top()] },
      },
      axes: [
        axis({
          grid: { show: false },
          size: 28,
          splits: (_, __, low, high, every) => namedSplits(names(), low, high, every),
          values: (_, at) => at.map(i => barName(names(), i)),
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
      cursor: { points: { show: false }, drag: { x: true, y: false } },
      legend: { live: true },
      hooks: {
        drawSeries: [
          (plot, series) => {
            if (series > 0) drawBars(plot, series, color(ordered[series - 1]![1].color), faint());
          },
        ],
      },
      series: [
        { label: '\u00a0', value: (_, i) => (i === null ? '' : `${props.nameOf} ${barName(names(), i)}`) },
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
  const data = (): uPlot.AlignedData => [names().map((_, i) => i), ...[...stacked().sums].reverse()];
  const say = (i: number): string => {
    const write = (value: number | undefined): string => `${formatNumber(style(), value)} ${style().unit}`;
    const parts = stacked().parts.filter(part => part.values[i] !== 0);
    return `${props.nameOf} ${barName(names(), i)}: ${parts.map(part => `${part.name} ${write(part.values[i])}`).join(', ')}`;
  };
  return (
    <Chart
      height={height()}
      brief
      label={props.label}
      options={options}
      data={data()}
      {...(props.onPick ? { onPick: props.onPick } : {})}
      say={say}
    />
  );
}

// Rectangles on whole pixels: a path of as many bars takes a browser without a GPU a tenth of a second.
function drawBars(plot: uPlot, series: number, fill: string, faint?: ReadonlySet<number>): void {
  if (plot.series[series]?.show === false) return;
  const { left, top, width, height } = plot.bbox;
  const at = (index: number): number => plot.valToPos(index, 'x', true);
  const base = plot.valToPos(0, 'y', true);
  const half = halfBar(at(1) - at(0), devicePixelRatio);
  const bars = Array.from(plot.data[series]!, (value, i): Rectangle => {
    const top = plot.valToPos(value ?? 0, 'y', true);
    return { left: at(i) - half, right: at(i) + half, top, faint: faint?.has(i) ?? false };
  });
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(left, top, width, height);
  plot.ctx.clip();
  plot.ctx.fillStyle = fill;
  for (const bar of rectangles(bars)) {
    // On a ground of its own: the parts of a bar lie on each other.
    if (bar.faint) {
      plot.ctx.fillStyle = color('ground');
      plot.ctx.fillRect(bar.left, bar.top, bar.right - bar.left, base - bar.top);
      plot.ctx.fillStyle = fill;
    }
    plot.ctx.globalAlpha = bar.faint ? 0.45 : 1;
    plot.ctx.fillRect(bar.left, bar.top, bar.right - bar.left, base - bar.top);
  }
  plot.ctx.restore();
}

const barName = (names: readonly (string | number)[], i: number): string =>
  Number.isInteger(i) ? String(names[i] ?? '') : '';
