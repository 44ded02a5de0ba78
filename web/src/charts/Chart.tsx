// uPlot in Solid: follows the size of its place and the theme.
import { createEffect, createSignal, type JSX, onCleanup } from 'solid-js';
import uPlot from 'uplot';
import { color } from '../app/theme';
import { moveBrush } from './brush';
import { linearTicks } from './ticks';

export interface ChartProps {
  readonly height: number;
  readonly label: string; // for those who cannot see it
  readonly options: () => Omit<uPlot.Options, 'width' | 'height'>; // reads colours: made anew in another theme
  readonly data: uPlot.AlignedData;
  readonly onPick?: (index: number) => void;
  readonly brief?: boolean; // what is hovered has a short name, that fits left of the legend
  readonly say?: (index: number) => string; // what is at an index, for those who use keys
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
  // What can be picked by the pointer can be picked by keys: arrows move, Enter picks.
  const [at, setAt] = createSignal<number | undefined>();
  const last = (): number => (props.data[0]?.length ?? 0) - 1;
  const show = (index: number | undefined): void => {
    setAt(index);
    const x = index === undefined ? undefined : plot?.data[0][index];
    if (x === undefined) plot?.setCursor({ left: -10, top: -10 });
    else plot?.setCursor({ left: plot.valToPos(x, 'x'), top: plot.over.clientHeight / 2 });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = at() ?? 0;
    const to = moveBrush([index, index], event.key, false, last() + 1)?.[1];
    if (to !== undefined) show(to);
    else if (event.key === 'Enter' || event.key === ' ') props.onPick?.(index);
    else return;
    event.preventDefault();
  };
  onCleanup(() => {
    observer.disconnect();
    plot?.destroy();
  });
  const forKeys = (): JSX.HTMLAttributes<HTMLDivElement> =>
    props.onPick && last() >= 0
      ? {
          tabindex: 0,
          role: 'slider',
          'aria-label': `${props.label}; arrow keys move, Enter opens`,
          'aria-valuemin': 0,
          'aria-valuemax': last(),
          'aria-valuenow': at() ?? 0,
          'aria-valuetext': props.say?.(at() ?? 0) ?? '',
          onFocus: event => event.currentTarget.matches(':focus-visible') && show(at() ?? 0),
          onBlur: () => at() !== undefined && show(undefined),
          onKeyDown,
        }
      : {};
  return (
    <div
      class="chart"
      classList={{ picks: props.onPick !== undefined, brief: props.brief ?? false }}
      ref={place}
      style={{ 'min-height': `${props.height + 30}px` }}
      {...forKeys()}
    />
  );
}
