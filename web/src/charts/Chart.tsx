// uPlot in Solid: follows the size of its place and the theme.
import { createEffect, type JSX, onCleanup } from 'solid-js';
import uPlot from 'uplot';
import { color } from '../app/theme';
import { linearTicks } from './ticks';

export interface ChartProps {
  readonly height: number;
  readonly label: string; // for those who cannot see it
  readonly options: () => Omit<uPlot.Options, 'width' | 'height'>; // reads colours: made anew in another theme
  readonly data: uPlot.AlignedData;
  readonly onPick?: (index: number) => void;
}

// Grid, ticks and labels as calm as the tables.
export function axis(more: uPlot.Axis): uPlot.Axis {
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return {
    stroke: color('muted'),
    font,
    labelFont: font,
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    gap: 6,
    ...more,
  };
}

// Round values in the unit that is shown: 2 GiB, not 1.863 GiB.
export const roundSplits =
  (divisor: number, most = 5) =>
  (_: uPlot, __: number, low: number, high: number): number[] =>
    linearTicks(low / divisor, high / divisor, most).map(value => value * divisor);

export function Chart(props: ChartProps): JSX.Element {
  let place!: HTMLDivElement;
  let plot: uPlot | undefined;
  const observer = new ResizeObserver(() => {
    if (plot && place.clientWidth !== plot.width)
      plot.setSize({ width: place.clientWidth, height: props.height });
  });
  createEffect(() => {
    plot?.destroy();
    const options = { ...props.options(), width: place.clientWidth || 600, height: props.height };
    plot = new uPlot(options, props.data, place);
    plot.ctx.canvas.setAttribute('role', 'img');
    plot.ctx.canvas.setAttribute('aria-label', props.label);
    const over = plot.over;
    let pressedAt = 0;
    over.addEventListener('mousedown', event => {
      pressedAt = event.clientX;
    });
    over.addEventListener('click', event => {
      const index = plot?.cursor.idx;
      const dragged = Math.abs(event.clientX - pressedAt) > 3;
      if (index !== null && index !== undefined && !dragged) props.onPick?.(index);
    });
    observer.observe(place);
  });
  onCleanup(() => {
    observer.disconnect();
    plot?.destroy();
  });
  return (
    <div
      class="chart"
      classList={{ picks: props.onPick !== undefined }}
      ref={place}
      style={{ 'min-height': `${props.height + 30}px` }}
    />
  );
}
