// Busy time of all devices over the whole capture, and the window as a frame in it: drag it, or click.
import { createEffect, createSignal, type JSX, on, onCleanup, onMount } from 'solid-js';
import { color } from '../app/theme';
import { leaves } from './api';
import { type LanePiece, paintSlices } from './draw/paint';
import { mix, parseRgb, pixel } from './draw/palette';
import { clampView, length, toTime, toX, wholeSpan } from './scales/view';
import type { TimelineState } from './state';
import type { SliceLane } from './tiles/format';
import { levelFor, pieces, tilesOf } from './tiles/plan';
import type { TileStore } from './tiles/store';

const height = 34;
const mostDevices = 8;

export function Minimap(props: { state: TimelineState }): JSX.Element {
  const { state } = props;
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(800);
  const tracks = () => {
    const all = leaves(state.tree()?.tree ?? []);
    const busy = all.filter(leaf => leaf.type === 'busy');
    const devices =
      busy.length > 0 ? busy : all.filter(leaf => leaf.type === 'stream' || leaf.type === 'operations');
    return (devices.length > 0 ? devices : all.filter(leaf => leaf.type === 'thread')).slice(0, mostDevices);
  };

  // Without the window: it stays the same while that moves.
  let picture: ImageData | undefined;
  const paint = (store: TileStore, w: number, h: number): ImageData => {
    const image = new ImageData(w, h);
    const target = { pixels: new Uint32Array(image.data.buffer), width: w, height: h };
    const ground = parseRgb(color('ground'));
    target.pixels.fill(pixel(ground));
    const whole = wholeSpan(state.span());
    const axis = { from: whole.from, perPixel: length(whole) / w };
    const level = levelFor(axis.perPixel);
    const fill = pixel(mix(parseRgb(color('compute')), ground, 0.35));
    const list = tracks();
    const names = list.map(leaf => ((leaf.lanes ?? 1) > 1 ? `${leaf.track}m` : String(leaf.track)));
    list.forEach((_, i) => {
      const lanes: LanePiece<SliceLane>[] = [];
      for (const tile of tilesOf(whole, level))
        for (const piece of pieces(tile, candidate => store.has(names[i]!, candidate)))
          for (const lane of store.get(names[i]!, piece.tile)?.lanes ?? [])
            if (lane.kind === 'slices') lanes.push({ piece, lane });
      const each = h / list.length;
      const band = {
        y: Math.round(i * each) + 1,
        height: Math.max(1, Math.round(each) - 2),
        top: 0,
        bottom: h,
      };
      paintSlices(
        target,
        axis,
        band,
        lanes,
        { names: new Uint32Array(), fallback: fill },
        { slices: 0, buckets: 0 },
      );
    });
    store.want(tilesOf(whole, level).map(tile => ({ tile, tracks: names })));
    return image;
  };

  const draw = (): void => {
    const store = state.mapStore();
    if (!store || !state.tree()) return;
    const ratio = devicePixelRatio;
    const [w, h] = [Math.round(width() * ratio), Math.round(height * ratio)];
    if (w === 0) return;
    if (picture?.width !== w || picture.height !== h) picture = undefined;
    picture ??= paint(store, w, h);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    const whole = wholeSpan(state.span());
    const context = canvas.getContext('2d', { alpha: false })!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(picture, 0, 0);
    context.scale(ratio, ratio);
    const x0 = toX(whole, width(), state.view().from);
    const x1 = Math.max(x0 + 2, toX(whole, width(), state.view().to));
    context.fillStyle = color('shade');
    context.fillRect(0, 0, Math.max(0, x0), height);
    context.fillRect(x1, 0, width(), height);
    context.strokeStyle = color('focus');
    context.strokeRect(Math.max(0.5, x0), 0.5, Math.min(width() - 1, x1) - Math.max(0.5, x0), height - 1);
  };

  let frame = 0;
  const schedule = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  createEffect(on([state.view, width], schedule));
  createEffect(
    on([state.tree, state.mapStore, state.mapChanged, () => color('ground')], () => {
      picture = undefined;
      schedule();
    }),
  );

  const center = (event: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    const middle = toTime(wholeSpan(state.span()), box.width, event.clientX - box.left);
    const half = length(state.view()) / 2;
    state.setView(clampView({ from: middle - half, to: middle + half }, state.span()));
  };
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(canvas.clientWidth));
    observer.observe(canvas);
    onCleanup(() => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    });
  });
  return (
    <canvas
      class="tl-minimap"
      ref={canvas}
      role="img"
      aria-label="busy time of all devices over the whole capture; the frame is the window"
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId);
        center(event);
      }}
      onPointerMove={event => {
        if (event.buttons === 1) center(event);
      }}
    />
  );
}
