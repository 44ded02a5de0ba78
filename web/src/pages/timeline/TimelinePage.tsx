// The timeline page: tools, minimap, rows, and what is selected below them.
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  on,
  onCleanup,
  onMount,
  Show,
} from 'solid-js';
import { ApiError, getDocument, runPath } from '../../api/client';
import { rowsOf } from '../../api/document';
import { focusSearch, wishedStep, wishStep } from '../../app/keys';
import { Problem } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { createRunKey } from '../../app/session';
import { viewQuery } from '../../app/view';
import { count, time } from '../../format/numbers';
import { type EventDetail, type EventRef, leaves, tracksOf } from '../../timeline/api';
import { Canvas } from '../../timeline/Canvas';
import { colorModes } from '../../timeline/draw/palette';
import { Gutter } from '../../timeline/Gutter';
import { GutterEdge } from '../../timeline/GutterEdge';
import { attachKeys } from '../../timeline/input/held';
import type { Command } from '../../timeline/keys';
import { Minimap } from '../../timeline/Minimap';
import { clampView, focusView, length, panView, wholeSpan, zoomView } from '../../timeline/scales/view';
import { AreaPanel } from '../../timeline/selection/AreaPanel';
import { Details } from '../../timeline/selection/Details';
import { type Found, findBeside, tracksToSum } from '../../timeline/selection/find';
import { nextOfName } from '../../timeline/selection/links';
import { parsePlace, sliceAt } from '../../timeline/selection/place';
import { createSearch, sameFinder, withWhatDiffers } from '../../timeline/selection/search';
import { createTimelineState, type SelectHow } from '../../timeline/state';
import { laneHeight, type Row } from '../../timeline/tracks/rows';

export function TimelinePage(): JSX.Element {
  const state = createTimelineState();
  const search = createSearch();
  const findSame = sameFinder();
  const [width, setWidth] = createSignal(800);
  const [height, setHeight] = createSignal(400);
  const range = state.lengths;
  let hovered: Found | undefined;
  let hoverAt = 0.5;

  const room = (): number => Math.max(0, state.layout().height + state.layout().pinnedHeight - height());
  const scrollTo = (y: number): void => state.setScrolled(Math.max(0, Math.min(room(), y)));
  // What is selected stays in sight, also when the panel about it opens, until the person scrolls.
  let following = true;
  const scrollAway = (y: number): void => {
    following = false;
    scrollTo(y);
  };
  const scrollState = { ...state, setScrolled: scrollAway };
  createEffect(on([room], () => scrollTo(state.scrolled())));

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

  const reveal = (track: number, lane: number): void => {
    const { rows, pinned, pinnedHeight } = state.layout();
    if (pinned.some(row => row.track?.track === track)) return;
    const row = rows.find(candidate => candidate.track?.track === track);
    if (!row) return;
    const y = row.y + (row.open ? lane * laneHeight : 0);
    const free = height() - pinnedHeight;
    const [above, below] = [state.scrolled() - y, y + laneHeight + 4 - state.scrolled() - free];
    if (above > free || below > free)
      scrollTo(Math.round(y - free / 3)); // as links have it
    else if (above > 0) scrollTo(Math.min(row.y, y - laneHeight));
    else if (below > 0) scrollTo(state.scrolled() + below + laneHeight);
  };
  createEffect(on([state.selected], () => (following = true), { defer: true }));
  createEffect(
    on([state.detail, height, state.layout], ([detail]) => {
      if (detail && following) reveal(detail.track, detail.lane);
    }),
  );
  const jump = (to: EventRef, how?: SelectHow): void => {
    const view = state.view();
    const inside = to.begin >= view.from && to.begin + to.duration <= view.to;
    const visible = to.duration > length(view) / 400;
    if (!inside || !visible) {
      const size = visible && to.duration < length(view) ? length(view) : Math.max(to.duration * 8, 1000);
      const middle = to.begin + to.duration / 2;
      state.setView(clampView({ from: middle - size / 2, to: middle + size / 2 }, state.span()));
    }
    following = true;
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

  // Enter on another page opens this one: the step waits until there is a timeline to step on.
  createEffect(() => {
    const way = wishedStep();
    if (!way || !state.tree()) return;
    wishStep(undefined);
    void step(way);
  });

  const run = createRunKey();
  // Links from other pages: "@" is the first match of the search, "@device" and "@host" the first there, "@host/NAME"
  // on that host, "@TIME" the first that begins then or later. It is of the part of the run that the page was about.
  const [notFound, setNotFound] = createSignal('');
  createEffect(() => {
    const wanted = /^@(?:(?<on>device|host)(?:\/(?<which>.+))?|(?<begin>\d+))?$/.exec(param('sel'))?.groups;
    const tree = state.tree();
    if (!wanted || !tree || !param('q')) return;
    const { on, which, begin } = wanted as { on?: 'device' | 'host'; which?: string; begin?: string };
    const whole = /^"(.+)"$/.exec(param('q'))?.[1];
    const part = { host: which ?? param('host'), device: param('device') };
    const tracks = on && tracksOf(tree.tree, on, part);
    const only =
      part.host || (on === 'device' && part.device)
        ? tracks && { track: tracks.join(',') }
        : tracks && { like: tracks[0] };
    setNotFound('');
    const from = begin ? Promise.resolve(Number(begin)) : firstBegin(run()!, state.span()[0]);
    from
      .then(at => search.step('next', { begin: at - 1 }, only))
      .then(found => {
        if (found) land(found);
        else if (on === 'host' && whole) setParams({ q: withWhatDiffers(whole) });
        else setNotFound(whole ?? param('q'));
      });
  });

  // And a slice by its place, once its track is there.
  createEffect(() => {
    const place = parsePlace(param('sel'));
    const tree = state.tree();
    if (!place || !tree) return;
    const track = leaves(tree.tree).find(leaf => leaf.key === place.key);
    if (!track && tree.derived === 'pending') return;
    const found = track ? sliceAt(run()!, track.track, place) : Promise.resolve(undefined);
    found
      .catch(() => undefined)
      .then(slice => {
        if (slice) land(slice);
        else setParams({ sel: '' }, 'replace');
      });
  });

  const nextOf = (detail: EventDetail, way: 'next' | 'previous'): EventRef | null =>
    nextOfName(detail, way, state.tracks().get(detail.track)?.type === 'steps');
  // The next slice of the same name; with a range of durations, of the same name and such a length.
  const stepSame = async (way: 'next' | 'previous'): Promise<void> => {
    const detail = state.detail();
    if (!detail) return;
    const found = range() ? (await findSame(detail, range()!, way))?.matches[0] : nextOf(detail, way);
    if (found) jump(found, { keepLengths: true });
  };

  // Slices without a mouse.
  const stepBeside = (command: Command): void => {
    const detail = state.detail();
    if (command === 'sliceBefore' || command === 'sliceAfter') {
      const to = command === 'sliceBefore' ? detail?.before : detail?.after;
      if (to) jump(to);
      if (detail) return;
    }
    const way = command === 'sliceAbove' ? -1 : 1;
    const from = detail && {
      track: detail.track,
      lane: detail.lane,
      time: detail.begin + detail.duration / 2,
    };
    const found = findBeside(state, width(), height(), from, from ? way : 1);
    if (found) state.select(found);
    else if (from) scrollAway(state.scrolled() + way * 120); // what lies there is not known before it is in sight
  };

  const move = (command: Command, ms: number): void => {
    const view = state.view();
    if (command === 'zoomIn') state.setView(zoomView(view, Math.exp(-ms * 0.0035), hoverAt, state.span()));
    else if (command === 'zoomOut')
      state.setView(zoomView(view, Math.exp(ms * 0.0035), hoverAt, state.span()));
    else if (command === 'left') state.setView(panView(view, -length(view) * ms * 0.0009, state.span()));
    else if (command === 'right') state.setView(panView(view, length(view) * ms * 0.0009, state.span()));
    else scrollAway(state.scrolled() + (command === 'up' ? -ms : ms) * 0.9);
  };
  // Rows move when one is pinned or folded: the key pressed again, with the pointer at rest, means the same one.
  let toggled: { readonly command: Command; readonly key: string } | undefined;
  const toggle = (command: Command, fits: (row: Row) => boolean, change: (key: string) => void): void => {
    const row = hovered?.row;
    const key = toggled?.command === command ? toggled.key : row && fits(row) ? row.key : undefined;
    if (key === undefined) return;
    toggled = { command, key };
    change(key);
  };
  const press = (command: Command): boolean => {
    const detail = state.detail();
    const area = state.area();
    if (command === 'focus') {
      if (detail) state.setView(focusView(detail.begin, detail.duration, state.span()));
      else if (area) state.setView(focusView(area.from, area.to - area.from, state.span()));
      else state.setView(clampView(wholeSpan(state.span()), state.span()));
    } else if (command === 'whole') state.setView(clampView(wholeSpan(state.span()), state.span()));
    else if (command === 'mark') {
      if (detail)
        state.setArea(
          {
            from: detail.begin,
            to: detail.begin + Math.max(1, detail.duration),
            tracks: tracksToSum(leaves(state.groupOf(detail.track)?.children ?? [])),
          },
          'push',
        );
      else state.setArea({ ...state.view(), tracks: [] }, 'push');
    } else if (command === 'previousSame') stepSame('previous');
    else if (command === 'nextSame') stepSame('next');
    else if (command.startsWith('slice')) stepBeside(command);
    else if (command === 'nextMatch') void step('next');
    else if (command === 'previousMatch') void step('previous');
    else if (command === 'pin') toggle(command, row => row.track !== undefined, state.togglePin);
    else if (command === 'fold') toggle(command, row => row.foldable, state.toggleFold);
    else if (command === 'colors') nextColors();
    else if (command === 'clear') {
      if (area) state.setArea(undefined, 'push');
      else if (state.selected()) state.select(undefined);
      else if (param('q')) setParams({ q: '' });
      else return false;
    } else return false;
    return true;
  };
  const nextColors = (): void => {
    const next = colorModes[(colorModes.indexOf(state.colorBy()) + 1) % colorModes.length]!;
    setParams({ color: next === 'category' ? '' : next });
  };

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

  // Why what the link selects is not there.
  const absent = (): string => {
    if (state.missing()) return state.missing();
    if (notFound() && param('sel').startsWith('@'))
      return `Nothing on the timeline has “${notFound()}” in its name.`;
    return '';
  };
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
      <div class="tl-tools" classList={{ none: nothing() !== undefined }}>
        <input
          type="search"
          placeholder="filter tracks"
          aria-label="filter tracks"
          title={'words that the name of a track must have; quotes keep them together: "CPU 3"'}
          value={param('tracks')}
          onInput={event => setParams({ tracks: event.currentTarget.value })}
        />
        <label class="muted">
          colour by{' '}
          <select
            value={state.colorBy()}
            onChange={event =>
              setParams({ color: event.currentTarget.value === 'category' ? '' : event.currentTarget.value })
            }
          >
            <For each={colorModes}>
              {mode => (
                <option value={mode} selected={mode === state.colorBy()}>
                  {mode}
                </option>
              )}
            </For>
          </select>
        </label>
        <button type="button" title="everything  0" onClick={() => press('whole')}>
          whole
        </button>
        <button type="button" title="zoom in  W" aria-label="zoom in" onClick={() => move('zoomIn', 200)}>
          +
        </button>
        <button type="button" title="zoom out  S" aria-label="zoom out" onClick={() => move('zoomOut', 200)}>
          −
        </button>
        <span class="muted" aria-live="off">
          {time(length(state.view()))}
        </span>
        <span class="room" />
        <Show when={param('q')}>
          <span aria-live="polite" class="found">
            <Show
              when={search.result()}
              fallback={<span class="muted">{search.problem() || (search.busy() ? 'searching…' : '')}</span>}
            >
              {found => (
                <>
                  {search.position() === undefined ? '' : `${count(search.position()! + 1)} of `}
                  {count(found().total)} {found().total === 1 ? 'match' : 'matches'}
                  <span class="muted">{found().total > 0 ? `, ${time(found().time)}` : ''}</span>
                  <button
                    type="button"
                    disabled={found().total === 0}
                    title="previous match  Shift Enter"
                    onClick={() => step('previous')}
                  >
                    ‹
                  </button>
                  <button
                    type="button"
                    disabled={found().total === 0}
                    title="next match  Enter"
                    onClick={() => step('next')}
                  >
                    ›
                  </button>
                </>
              )}
            </Show>
            <button type="button" title="end the search  Esc" onClick={() => setParams({ q: '' })}>
              ×
            </button>
          </span>
        </Show>
        <Show when={!param('q')}>
          <button type="button" title="search names and arguments  /" onClick={focusSearch}>
            search
          </button>
        </Show>
      </div>
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
          onPoint={at => {
            hoverAt = at;
            toggled = undefined;
          }}
          onHover={found => {
            hovered = found;
          }}
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
      <section
        class="tl-panel"
        classList={{ none: nothing() !== undefined || (!state.area() && !state.selected()) }}
        aria-label="selection"
      >
        <Show
          when={state.area()}
          fallback={
            <Show
              when={state.detail()}
              fallback={
                <p class="muted hint" classList={{ missing: absent() !== '' }} role="status">
                  <Show
                    when={!absent()}
                    fallback={
                      <>
                        {absent()}{' '}
                        <button type="button" class="link" onClick={() => setParams({ sel: '' })}>
                          go on without
                        </button>
                      </>
                    }
                  >
                    Click a slice for its arguments, its HLO instruction and all executions of the same name.
                    Drag to select an area and sum it up. <kbd>?</kbd> lists all keys.
                  </Show>
                </p>
              }
            >
              {detail => (
                <Details
                  detail={detail()}
                  jump={jump}
                  step={stepSame}
                  canStep={way => nextOf(detail(), way) !== null}
                  range={range()}
                  setRange={state.setLengths}
                  placeOf={track => state.groupOf(track)?.title ?? ''}
                  isThread={track => state.tracks().get(track)?.type === 'thread'}
                />
              )}
            </Show>
          }
        >
          {area => <AreaPanel area={area()} clear={() => state.setArea(undefined, 'push')} />}
        </Show>
      </section>
    </div>
  );
}

// Where the steps begin that `steps` of the link chooses; else the capture.
async function firstBegin(
  run: { readonly id: string; readonly version: string },
  begin: number,
): Promise<number> {
  if (!param('steps')) return begin;
  const query = { ...viewQuery(), v: run.version };
  const document = await getDocument(runPath(run.id, 'steps'), query).catch(() => undefined);
  const steps = rowsOf(document, 'step_devices');
  return steps.length === 0 ? begin : Math.min(...steps.all.map(row => steps.number(row, 'begin') ?? begin));
}

function Scrollbar(props: {
  scrolled: number;
  height: number;
  whole: number;
  onScroll: (y: number) => void;
}): JSX.Element {
  let element!: HTMLDivElement;
  createEffect(() => {
    if (Math.abs(element.scrollTop - props.scrolled) > 1) element.scrollTop = props.scrolled;
  });
  return (
    <div
      class="tl-scrollbar"
      ref={element}
      tabindex="-1"
      aria-hidden="true"
      onScroll={event => {
        if (Math.abs(event.currentTarget.scrollTop - props.scrolled) > 1)
          props.onScroll(event.currentTarget.scrollTop);
      }}
    >
      <div style={{ height: `${props.whole}px` }} />
    </div>
  );
}
