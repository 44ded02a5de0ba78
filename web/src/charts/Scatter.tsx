// Log–log scatter on a canvas: thousands of dots, lines for limits, hover and click. What is hovered is marked by an
// element above the canvas: moving the pointer draws no dot again.
import { createEffect, createMemo, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { color } from '../app/theme';
import { amount, plural, type Unit } from '../format/numbers';
import { smallWidth } from '../format/width';
import { bulk, type Dot, dotAt, freeStretch, type LogScale, logPosition, logScale, spread } from './scatter';
import { byteTicks, decades } from './ticks';

export interface ScatterPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly weight: number; // area of the dot
  readonly color: string; // CSS variable
}

export interface ScatterLimit {
  readonly name: string; // beside the end of the line
  readonly amount: string; // below the name
  readonly at: (x: number) => number;
  readonly ridge?: number; // where it bends: within the axis
}

// What is written along a line, a power of x.
export interface ScatterSlope {
  readonly name: string;
  readonly at: (x: number) => number;
  readonly until: number; // the end of the line
}

export interface ScatterProps {
  readonly points: readonly ScatterPoint[];
  readonly limits: readonly ScatterLimit[];
  readonly slope?: ScatterSlope | undefined;
  readonly xName: string;
  readonly yName: string;
  readonly yUnit: Unit;
  readonly xUnit?: Unit;
  readonly label: string;
  readonly height: number;
  readonly describe: (index: number) => string;
  readonly onPick?: (index: number) => void;
}

const left = 92;
const bottom = 40;
const top = 10;
const edge = 30; // right of the plot, without names
const lineHeight = 15;
const nameHeight = 2 * lineHeight + 4;

export function Scatter(props: ScatterProps): JSX.Element {
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(800);
  const [hover, setHover] = createSignal(-1);
  const observer = new ResizeObserver(entries => setWidth(entries[0]?.contentRect.width ?? 800));
  onCleanup(() => observer.disconnect());

  // Once per change: a property of a component is an expression that is evaluated wherever it is read.
  const points = createMemo(() => props.points);
  const limits = createMemo(() => props.limits);
  // The names of the limits stand right of the plot, where no dot and no line is.
  const right = createMemo(
    () =>
      limits().reduce(
        (most, { name, amount }) => Math.max(most, smallWidth(name), smallWidth(amount)),
        edge - 24,
      ) + 24,
  );
  const scales = createMemo(() => {
    const weights = points().map(point => point.weight);
    const of = (values: readonly number[], more: readonly number[], size: number): LogScale =>
      logScale([...bulk(values, weights), ...more], size);
    const xs = of(
      points().map(point => point.x),
      limits().flatMap(limit => limit.ridge ?? []),
      width() - left - right(),
    );
    const tops = limits().map(limit => 2 * limit.at(xs.high));
    const ys = of(
      points().map(point => point.y),
      tops,
      props.height - top - bottom,
    );
    return { xs, ys };
  });
  const beyond = (): number => {
    const { xs, ys } = scales();
    return points().filter(point => point.x < xs.low || point.y < ys.low).length;
  };
  const dots = createMemo<Dot[]>(() => {
    const { xs, ys } = scales();
    const most = points().reduce((sofar, point) => Math.max(sofar, point.weight), 1e-12);
    return points().map(point => ({
      x: left + Math.max(0, logPosition(xs, point.x)),
      y: props.height - bottom - Math.max(0, logPosition(ys, point.y)),
      radius: 2 + 12 * Math.sqrt(point.weight / most),
    }));
  });

  createEffect(() => {
    const ratio = devicePixelRatio;
    canvas.width = width() * ratio;
    canvas.height = props.height * ratio;
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    const { xs, ys } = scales();
    const yOf = (value: number): number => props.height - bottom - logPosition(ys, value);
    context.lineWidth = 1;
    context.strokeStyle = color('line');
    context.fillStyle = color('muted');
    context.textAlign = 'center';
    context.beginPath();
    const xTicks = props.xUnit === 'bytes' ? byteTicks : decades;
    for (const tick of xTicks(xs.low, xs.high)) {
      const x = Math.round(left + logPosition(xs, tick)) + 0.5;
      context.moveTo(x, top);
      context.lineTo(x, props.height - bottom);
      context.fillText(
        props.xUnit ? tickText(props.xUnit, tick) : plain(tick),
        x,
        props.height - bottom + 18,
      );
    }
    context.textAlign = 'right';
    for (const tick of decades(ys.low, ys.high)) {
      const y = Math.round(yOf(tick)) + 0.5;
      context.moveTo(left, y);
      context.lineTo(width() - right(), y);
      context.fillText(tickText(props.yUnit, tick), left - 6, y + 4);
    }
    context.stroke();
    context.textAlign = 'center';
    context.fillText(props.xName, left + (width() - left - right()) / 2, props.height - 5);
    context.globalAlpha = 0.55;
    dots().forEach((dot, i) => {
      context.fillStyle = color(points()[i]!.color);
      context.beginPath();
      context.arc(dot.x, dot.y, dot.radius, 0, 7);
      context.fill();
    });
    context.globalAlpha = 1;
    const end = width() - right();
    context.strokeStyle = color('text');
    context.save();
    context.beginPath();
    context.rect(left, top, end - left, props.height - top - bottom);
    context.clip();
    for (const limit of limits()) {
      context.beginPath();
      for (let i = 0; i <= 200; ++i) {
        const x = xs.low * (xs.high / xs.low) ** (i / 200);
        context.lineTo(left + logPosition(xs, x), yOf(limit.at(x)));
      }
      context.stroke();
    }
    context.restore();
    const lines = limits().map(limit => yOf(limit.at(xs.high)));
    const places = spread(lines, nameHeight, top + lineHeight, props.height - bottom - lineHeight);
    context.textAlign = 'left';
    limits().forEach((limit, i) => {
      const y = places[i]!;
      context.strokeStyle = color('line-strong');
      context.beginPath();
      context.moveTo(end + 2, lines[i]!);
      context.lineTo(end + 14, y);
      context.stroke();
      context.fillStyle = color('text');
      context.fillText(limit.name, end + 18, y - 2);
      context.fillStyle = color('muted');
      context.fillText(limit.amount, end + 18, y - 2 + lineHeight);
    });
    if (props.slope) drawSlope(context, props.slope, scales(), dots(), props.height);
  });

  const at = (event: MouseEvent): number => {
    const box = canvas.getBoundingClientRect();
    return dotAt(dots(), event.clientX - box.left, event.clientY - box.top);
  };
  return (
    <div class="scatter" ref={element => observer.observe(element)}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.label}
        classList={{ hit: hover() >= 0 }}
        style={{ height: `${props.height}px` }}
        onMouseMove={event => setHover(at(event))}
        onMouseLeave={() => setHover(-1)}
        onClick={event => {
          const hit = at(event);
          if (hit >= 0) props.onPick?.(hit);
        }}
      />
      <Show when={dots()[hover()]}>
        {dot => (
          <span
            class="hovered"
            style={{
              left: `${dot().x - dot().radius}px`,
              top: `${dot().y - dot().radius}px`,
              width: `${2 * dot().radius}px`,
              height: `${2 * dot().radius}px`,
              '--fill': `var(--${points()[hover()]!.color})`,
            }}
          />
        )}
      </Show>
      <p class="small" aria-live="polite">
        {hover() >= 0 ? (
          props.describe(hover())
        ) : (
          <span class="muted">
            {props.yName} over {props.xName}; the larger, the more time
            {beyond() > 0 ? `; ${plural(beyond(), 'dot')} beyond the axes at their edge` : ''}
          </span>
        )}
      </p>
    </div>
  );
}

// Along the line and above it, where it enters the plot or further on, where fewer dots are in the way; the ground behind
// the text keeps it readable above them.
function drawSlope(
  context: CanvasRenderingContext2D,
  slope: ScatterSlope,
  { xs, ys }: { readonly xs: LogScale; readonly ys: LogScale },
  dots: readonly Dot[],
  height: number,
): void {
  const place = (x: number): [number, number] => [
    left + logPosition(xs, x),
    height - bottom - logPosition(ys, slope.at(x)),
  ];
  const enters = Math.max(xs.low, (xs.low * ys.low) / slope.at(xs.low));
  const [x0, y0] = place(enters);
  const [x1, y1] = place(slope.until);
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const room = Math.hypot(x1 - x0, y1 - y0);
  const above = { low: -20, high: -4 };
  const along = freeStretch(dots, { x: x0, y: y0, angle }, above, smallWidth(slope.name), 16, room);
  context.save();
  context.translate(x0, y0);
  context.rotate(angle);
  context.lineWidth = 4;
  context.strokeStyle = color('ground');
  context.fillStyle = color('muted');
  context.strokeText(slope.name, along, -7);
  context.fillText(slope.name, along, -7);
  context.restore();
}

// Of a decade; tables have no use for kFLOP/s.
const tickText = (unit: Unit, tick: number): string =>
  unit === 'flop/s' && tick >= 1e3 && tick < 1e6
    ? `${tick / 1e3} kFLOP/s`
    : amount(unit, tick).replace(/\.0+ /, ' ');

const plain = (value: number): string =>
  value >= 1e4 || value < 1e-2 ? value.toExponential(0) : String(+value.toPrecision(3));
