// The timeline page: tools, minimap, rows, and what is selected below them.
import { createMemo, createSignal, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { ApiError } from '../../api/client';
import { wishStep } from '../../app/keys';
import { Problem } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { count } from '../../format/numbers';
import type { EventDetail, EventRef } from '../../timeline/api';
import { Canvas } from '../../timeline/Canvas';
import { Gutter } from '../../timeline/Gutter';
import { GutterEdge } from '../../timeline/GutterEdge';
import { attachKeys } from '../../timeline/input/held';
import { Minimap } from '../../timeline/Minimap';
import { clampView, length } from '../../timeline/scales/view';
import { nextOfName } from '../../timeline/selection/links';
import { createSearch, sameFinder } from '../../timeline/selection/search';
import { createTimelineState, type SelectHow } from '../../timeline/state';
import { followLinks } from './arrivals';
import { createCommands } from './commands';
import { Scrollbar } from './Scrollbar';
import { Selection } from './Selection';
import { createScrolling } from './scrolling';
import { Tools } from './Tools';

export function TimelinePage(): JSX.Element {
  const state = createTimelineState();
  const search = createSearch();
  const findSame = sameFinder();
  const [width, setWidth] = createSignal(800);
  const [height, setHeight] = createSignal(400);
  const range = state.lengths;
  const { room, scrollAway, follow } = createScrolling(state, height);
  const scrollState = { ...state, setScrolled: scrollAway };

  // Names that stay bright: the matches of the search, else the name of the selected slice.
  const lit = createMemo<ReadonlySet<number> | undefined>(() => {
    const found = search.result();
    if (found && found.name_ids.length > 0) return new Set(found.name_ids);
    const name = state.detail()?.name;
    if (name === undefined) return undefined;
    const ids = new Set<number>();
    state.names().name.forEach((other, id) => {
      if (other === name) ids.add(id);
    });
    return ids.size > 0 ? ids : undefined;
  });

  const jump = (to: EventRef, how?: SelectHow): void => {
    const view = state.view();
    const inside = to.begin >= view.from && to.begin + to.duration <= view.to;
    const visible = to.duration > length(view) / 400;
    if (!inside || !visible) {
      const size = visible && to.duration < length(view) ? length(view) : Math.max(to.duration * 8, 1000);
      const middle = to.begin + to.duration / 2;
      state.setView(clampView({ from: middle - size / 2, to: middle + size / 2 }, state.span()));
    }
    follow();
    state.select({ track: to.track, event: to.event }, how);
  };
  // Where a link leads, it can be read: not one bar of a track with all its lanes in one row.
  const land = (to: EventRef): void => {
    const row = state.layout().rows.find(candidate => candidate.track?.track === to.track);
    if (row && !row.open && row.foldable) state.toggleFold(row.key);
    jump(to, { history: 'replace' });
  };
  const step = async (way: 'next' | 'previous'): Promise<void> => {
    const now = state.detail();
    const from = now ?? { begin: way === 'next' ? state.view().from : state.view().to };
    const found = await search.step(way, from);
    if (found) jump(found);
  };

  const notFound = followLinks(state, search, land, way => void step(way));

  const nextOf = (detail: EventDetail, way: 'next' | 'previous'): EventRef | null =>
    nextOfName(detail, way, state.tracks().get(detail.track)?.type === 'steps');
  // The next slice of the same name; with a range of durations, of the same name and such a length.
  const stepSame = async (way: 'next' | 'previous'): Promise<void> => {
    const detail = state.detail();
    if (!detail) return;
    const found = range() ? (await findSame(detail, range()!, way))?.matches[0] : nextOf(detail, way);
    if (found) jump(found, { keepLengths: true });
  };

  const { move, press, pointAt, hover } = createCommands(state, {
    jump,
    step: way => void step(way),
    stepSame: way => void stepSame(way),
    scrollAway,
    size: () => [width(), height()],
  });

  onMount(() => {
    const detach = attachKeys(move, press);
    const onSearchKey = (event: KeyboardEvent): void => {
      const box = event.target as HTMLElement | null;
      if (box?.id !== 'search' || event.key !== 'Enter') return;
      wishStep(event.shiftKey ? 'previous' : 'next');
    };
    addEventListener('keydown', onSearchKey);
    onCleanup(() => {
      detach();
      removeEventListener('keydown', onSearchKey);
    });
  });

  // Why there is nothing to draw.
  const nothing = createMemo(() => {
    const tree = state.tree();
    if (!tree) return state.error();
    const drawn = [...state.tracks().values()].some(track => (track.events ?? 0) > 0);
    if (drawn || tree.derived === 'pending') return undefined;
    const hint = 'The overview says what was lost on the way. Capture again, or copy the file again.';
    return new ApiError(0, 'The capture holds no event that could be drawn.', hint);
  });
  // How many tracks there are where the filter hides all of them.
  const unfiltered = (): number =>
    state.tree() && param('tracks') && state.layout().rows.length === 0 ? state.tracks().size : 0;
  return (
    <div class="page full timeline">
      <Tools state={state} search={search} hidden={nothing() !== undefined} {...{ move, press, step }} />
      <Show when={!nothing()}>
        <h1 class="unseen">Timeline</h1>
      </Show>
      <Show when={nothing()}>{reason => <Problem what={reason().message} hint={reason().hint} />}</Show>
      <Show when={nothing() ? undefined : state.error()}>
        {error => (
          <p class="tl-error" role="alert">
            A part of the timeline is missing: {error().message} {error().hint}
          </p>
        )}
      </Show>
      <div class="tl-body" classList={{ none: nothing() !== undefined }}>
        <div class="tl-corner muted small">
          <Show when={state.tree()?.derived === 'pending'}>
            <span class="tl-pending">working out steps, scopes, idle time…</span>
          </Show>
        </div>
        <Minimap state={state} />
        <Gutter state={scrollState} height={height()} />
        <GutterEdge />
        <Canvas
          state={scrollState}
          lit={lit()}
          range={range()}
          onSize={(wide, high) => {
            setWidth(wide);
            setHeight(high);
          }}
          onPoint={pointAt}
          onHover={hover}
        />
        <Show when={unfiltered() > 0}>
          <p class="tl-none" role="status">
            No track passes the filter “{param('tracks')}”: {count(unfiltered())} are there.{' '}
            <button type="button" class="link" onClick={() => setParams({ tracks: '' })}>
              show all
            </button>
          </p>
        </Show>
        <Scrollbar
          scrolled={state.scrolled()}
          height={height()}
          whole={height() + room()}
          onScroll={scrollAway}
        />
      </div>
      <Selection
        state={state}
        hidden={nothing() !== undefined}
        notFound={notFound()}
        jump={jump}
        step={stepSame}
        nextOf={nextOf}
      />
    </div>
  );
}
