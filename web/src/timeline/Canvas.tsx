// The canvas with all rows in sight, and its time axis. Draws when something changed, once per frame.
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import { color } from '../app/theme';
import { amount, count, percent, time, type Unit } from '../format/numbers';
import { paintFrame } from './draw/frame';
import { textFitter } from './draw/labels';
import { drawOverlay } from './draw/overlay';
import { durationPalette, mix, namePalette, parseRgb, pixel, type Theme } from './draw/palette';
import { attachGestures } from './input/gestures';
import { ruler } from './scales/ruler';
import { focusView, length, panView, toTime, zoomView } from './scales/view';
import { type Found, findAt, tracksBetween } from './selection/find';
import type { Hit } from './selection/hit';
import type { TimelineState } from './state';
import type { Row } from './tracks/rows';

export interface CanvasProps {
  readonly state: TimelineState;
  readonly lit: ReadonlySet<number> | undefined;
  readonly range: readonly [number, number] | undefined; // of durations: others fade
  readonly onSize: (width: number, height: number) => void;
  readonly onPoint?: (fraction: number) => void; // where the pointer is, as a part of the width
  readonly onHover?: (found: Found | undefined) => void; // what is below it
  readonly inPage?: boolean; // of a page that scrolls: dragging moves, the wheel is the page's
}

// For tests and benchmarks: what the last frame cost.
export interface CanvasStats {
  frames: number;
  slices: number;
  buckets: number;
  labels: number;
  arrows: number;
  complete: boolean;
  drawMs: number;
}

const rulerHeight = 26;

export function Canvas(props: CanvasProps): JSX.Element {
  const { state } = props;
  let place!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  let axis!: HTMLCanvasElement;
  const [size, setSize] = createSignal({ width: 800, height: 400 });
  const [box, setBox] = createSignal<readonly [number, number] | undefined>();
  const [pointer, setPointer] = createSignal<{ x: number; y: number } | undefined>();
  const stats: CanvasStats = {
    frames: 0,
    slices: 0,
    buckets: 0,
    labels: 0,
    arrows: 0,
    complete: false,
    drawMs: 0,
  };
  let image: ImageData | undefined;
  let fit = textFitter(() => 7);

  const theme = (): Theme => ({
    ground: parseRgb(color('ground')),
    of: variable => parseRgb(color(variable)),
  });
  const colors = createMemo(() => {
    const now = theme();
    const soft = (variable: string, part: number): number => pixel(mix(now.of(variable), now.ground, part));
    const counter = (unit: string | undefined): string => (unit === 'bytes' ? 'elementwise' : 'copies');
    return {
      names: namePalette(state.names(), now, state.colorBy(), props.lit),
      fallback: soft('idle', 0.5),
      outside: props.range && {
        min: props.range[0],
        max: props.range[1],
        names: namePalette(state.names(), now, state.colorBy(), new Set()),
      },
      durations: state.colorBy() === 'duration' && !props.lit ? durationPalette(now) : undefined,
      ground: pixel(now.ground),
      raised: pixel(now.of('raised')),
      line: pixel(now.of('line')),
      counterFill: (row: { track?: { unit?: string } }) => soft(counter(row.track?.unit), 0.6),
      counterLine: (row: { track?: { unit?: string } }) => soft(counter(row.track?.unit), 0.1),
    };
  });

  const draw = (): void => {
    const store = state.store();
    if (!store) return;
    const began = performance.now();
    const { width, height } = size();
    const ratio = devicePixelRatio;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (w === 0 || h === 0) return; // nothing of it is in sight yet
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    if (!image || image.width !== w || image.height !== h) image = new ImageData(w, h);
    const context = canvas.getContext('2d', { alpha: false })!;
    const font = `11.5px ${getComputedStyle(place).fontFamily}`;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (context.font !== font) {
      context.font = font;
      fit = textFitter(text => context.measureText(text).width);
    }
    const frame = paintFrame({
      target: { pixels: new Uint32Array(image.data.buffer), width: w, height: h },
      ratio,
      view: state.view(),
      layout: state.layout(),
      scrolled: state.scrolled(),
      names: state.names(),
      colors: colors(),
      store,
      fit,
    });
    context.putImageData(image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const arrows = drawOverlay(context, {
      width,
      height,
      view: state.view(),
      layout: state.layout(),
      scrolled: state.scrolled(),
      labels: frame.labels,
      detail: state.detail(),
      area: state.area(),
      colors: { text: color('text'), focus: color('focus'), shade: color('shade'), ground: color('ground') },
    });
    drawAxis(width, ratio, font);
    store.want(frame.wanted);
    Object.assign(stats, frame.stats, {
      frames: stats.frames + 1,
      labels: frame.labels.length,
      arrows,
      complete: frame.complete,
      drawMs: performance.now() - began,
    });
  };

  const drawAxis = (width: number, ratio: number, font: string): void => {
    const [w, h] = [Math.round(width * ratio), Math.round(rulerHeight * ratio)];
    if (axis.width !== w || axis.height !== h) {
      axis.width = w;
      axis.height = h;
    }
    const context = axis.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, rulerHeight);
    context.font = font;
    context.fillStyle = color('muted');
    context.strokeStyle = color('line-strong');
    context.beginPath();
    for (const tick of ruler(state.view(), width)) {
      const x = Math.round(tick.x) + 0.5;
      context.moveTo(x, rulerHeight - 7);
      context.lineTo(x, rulerHeight);
      const fits = x + 4 + context.measureText(tick.label).width <= width;
      if (fits) context.fillText(tick.label, x + 4, rulerHeight - 9);
    }
    context.stroke();
  };

  let frame = 0;
  const schedule = (): void => {
    if (frame === 0)
      frame = requestAnimationFrame(() => {
        frame = 0;
        draw();
      });
  };
  createEffect(
    on(
      [
        state.view,
        state.layout,
        state.scrolled,
        state.names,
        state.detail,
        state.area,
        state.store,
        state.tilesChanged,
        colors,
        size,
      ],
      schedule,
    ),
  );

  const fraction = (x: number): number => x / size().width;
  const at = (x: number, y: number): Found | undefined => findAt(state, size().width, size().height, x, y);
  // What is below the pointer now: keys move the slices below a pointer that rests, and so does another run.
  const below = createMemo(() => {
    state.tilesChanged();
    const place = pointer();
    return place && at(place.x, place.y);
  });
  createEffect(() => props.onHover?.(below()));
  const tip = createMemo(() => {
    const found = below();
    return found?.hit && describe(state, found.row, found.hit);
  });
  let clicked: { readonly begin: number; readonly duration: number } | undefined;
  const gestures = {
    zoom: (factor: number, x: number) =>
      state.setView(zoomView(state.view(), factor, fraction(x), state.span())),
    pan: (pixels: number) =>
      state.setView(panView(state.view(), (pixels / size().width) * length(state.view()), state.span())),
    scroll: (pixels: number) => state.setScrolled(state.scrolled() + pixels),
    click: (x: number, y: number) => {
      const found = at(x, y);
      const hit = found?.hit;
      clicked = hit && hit.kind !== 'counter' ? hit : undefined;
      state.select(
        hit && hit.kind !== 'counter' ? { track: found.row.track!.track, event: hit.event } : undefined,
      );
    },
    doubleClick: () => {
      if (clicked) state.setView(focusView(clicked.begin, clicked.duration, state.span()));
    },
    hover: (x: number, y: number) => {
      setPointer({ x, y });
      props.onPoint?.(fraction(x));
    },
    leave: () => {
      setPointer(undefined);
      props.onPoint?.(0.5);
    },
    area: (x0: number, x1: number, y0: number, y1: number, done: boolean) => {
      const { width, height } = size();
      const tracks = tracksBetween(state, height, y0, y1);
      const [from, to] = [toTime(state.view(), width, x0), toTime(state.view(), width, x1)];
      setPointer(undefined);
      const marked = to > from && tracks.length > 0;
      state.setArea(marked ? { from, to, tracks } : undefined, done && marked ? 'push' : 'replace');
    },
    box: (x0: number, x1: number, done: boolean) => {
      setBox(done ? undefined : [x0, x1]);
      const { width } = size();
      if (done && x1 - x0 > 3)
        state.setView({ from: toTime(state.view(), width, x0), to: toTime(state.view(), width, x1) });
    },
  };

  onMount(() => {
    const observer = new ResizeObserver(() => {
      setSize({ width: place.clientWidth, height: place.clientHeight });
      props.onSize(place.clientWidth, place.clientHeight);
    });
    observer.observe(place);
    (canvas as HTMLCanvasElement & { gait?: unknown }).gait = {
      stats,
      store: () => state.store()?.stats,
      resting: state.resting,
    };
    const detach = attachGestures(canvas, gestures, props.inPage ? 'pan' : 'area', props.inPage);
    const detachAxis = attachGestures(axis, gestures, 'box', props.inPage);
    addEventListener('beforeprint', draw); // there is no frame between now and the paper
    onCleanup(() => {
      observer.disconnect();
      detach();
      detachAxis();
      removeEventListener('beforeprint', draw);
      cancelAnimationFrame(frame);
    });
  });

  return (
    <>
      <canvas class="tl-axis" ref={axis} aria-label="time axis; drag to zoom into a part" />
      <div class="tl-canvas" ref={place}>
        <canvas
          ref={canvas}
          tabindex="0"
          aria-label="timeline; W A S D move, slash searches, question mark lists all keys"
        />
        <Show when={box()}>
          {range => (
            <div class="tl-box" style={{ left: `${range()[0]}px`, width: `${range()[1] - range()[0]}px` }} />
          )}
        </Show>
        <Show when={tip()}>
          {lines => (
            <Tip
              x={pointer()?.x ?? 0}
              y={pointer()?.y ?? 0}
              width={size().width}
              height={size().height}
              lines={lines()}
            />
          )}
        </Show>
      </div>
    </>
  );
}

function Tip(props: {
  x: number;
  y: number;
  width: number;
  height: number;
  lines: readonly string[];
}): JSX.Element {
  return (
    <div
      class="tl-tip"
      style={{
        left: props.x < props.width / 2 ? `${props.x + 14}px` : 'auto',
        right: props.x < props.width / 2 ? 'auto' : `${props.width - props.x + 14}px`,
        top: props.y < props.height - 90 ? `${props.y + 14}px` : 'auto',
        bottom: props.y < props.height - 90 ? 'auto' : `${props.height - props.y + 14}px`,
      }}
    >
      <strong>{props.lines[0]}</strong>
      {props.lines.slice(1).map(line => (
        <div class="muted">{line}</div>
      ))}
    </div>
  );
}

function describe(state: TimelineState, row: Row, hit: Hit): readonly string[] {
  const names = state.names();
  if (hit.kind === 'counter') {
    const unit = (row.track?.unit ?? '') as Unit;
    return [amount(unit, hit.value), `${row.title} at ${time(hit.begin)}`];
  }
  const more = [names.operation[hit.name], names.scope[hit.name]].filter(text => text) as string[];
  if (hit.kind === 'slice') return [names.name[hit.name] ?? '', time(hit.duration), ...more];
  return [
    `${count(Math.max(1, hit.count))} ${hit.count > 1 ? 'slices' : 'slice'} in ${time(hit.duration)}`,
    `busy ${percent(Math.min(100, (100 * hit.busy) / hit.duration))}, mostly ${names.name[hit.name] ?? ''}`,
    ...more,
  ];
}
