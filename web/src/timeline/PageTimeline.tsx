// A few steps of the timeline inside a page: dragging moves, pinching, the buttons and Ctrl with the wheel zoom.
import { createEffect, createMemo, createSignal, type JSX, on, Show } from 'solid-js';
import { plural, time } from '../format/numbers';
import { Canvas } from './Canvas';
import { Gutter } from './Gutter';
import { Minimap } from './Minimap';
import { clampView, length, wholeSpan, zoomView } from './scales/view';
import type { TimelineState } from './state';

const mostHeight = 640;

export function PageTimeline(props: { state: TimelineState }): JSX.Element {
  const { state } = props;
  const [height, setHeight] = createSignal(400);
  const room = (): number => Math.max(0, state.layout().height + state.layout().pinnedHeight - height());
  const scrolling = {
    ...state,
    setScrolled: (y: number) => state.setScrolled(Math.max(0, Math.min(room(), y))),
  };
  createEffect(on([room], () => scrolling.setScrolled(state.scrolled())));
  const lit = createMemo<ReadonlySet<number> | undefined>(() => {
    const name = state.detail()?.name;
    if (name === undefined) return undefined;
    return new Set(state.names().name.flatMap((other, id) => (other === name ? [id] : [])));
  });
  const zoom = (factor: number): void => state.setView(zoomView(state.view(), factor, 0.5, state.span()));
  const tall = (): number => Math.min(mostHeight, state.layout().height + state.layout().pinnedHeight);
  return (
    <div class="page-timeline">
      <div class="tl-tools">
        <button type="button" aria-label="zoom in" onClick={() => zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="zoom out" onClick={() => zoom(2)}>
          −
        </button>
        <button type="button" onClick={() => state.setView(clampView(wholeSpan(state.span()), state.span()))}>
          whole
        </button>
        <span class="muted">{time(length(state.view()))}</span>
        <Show when={room() > 0}>
          <span class="room" />
          <button
            type="button"
            aria-label="rows above"
            onClick={() => scrolling.setScrolled(state.scrolled() - 200)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label="rows below"
            onClick={() => scrolling.setScrolled(state.scrolled() + 200)}
          >
            ↓
          </button>
        </Show>
      </div>
      <div class="tl-body" style={{ height: `${tall() + 60}px` }}>
        <Minimap state={state} />
        <Gutter state={scrolling} height={height()} />
        <Canvas
          state={scrolling}
          lit={lit()}
          range={undefined}
          inPage
          onSize={(_, high) => setHeight(high)}
        />
      </div>
      <Picked state={state} />
    </div>
  );
}

function Picked(props: { state: TimelineState }): JSX.Element {
  const detail = () => props.state.detail();
  return (
    <p class="picked-slice muted" aria-live="polite">
      <Show when={detail()} fallback="Drag to move, pinch or + and − to zoom, click a slice for what it is.">
        {slice => (
          <>
            <strong>{slice().name}</strong> {slice().label} · {time(slice().duration)} at{' '}
            {time(slice().begin)}
            {slice().category ? ` · ${slice().category}` : ''}
            {slice().args.map(([name, value]) => ` · ${name} ${value}`)} · here{' '}
            {plural(slice().same.count, 'time')}
            {slice().same.count > 1 ? `, ${time(slice().same.mean)} each` : ''}
          </>
        )}
      </Show>
    </p>
  );
}
