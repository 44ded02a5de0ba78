// The state of the timeline: what the server told, the window, the rows, the selection. What a link must
// restore lives in the URL; the window is written there when it rests.
import {
  type Accessor,
  createEffect,
  createMemo,
  createResource,
  createSignal,
  on,
  onCleanup,
} from 'solid-js';
import { trouble } from '../api/again';
import { ApiError } from '../api/client';
import { onLeave, type Params, param, route, setParams } from '../app/router';
import { createRunKey } from '../app/session';
import {
  type EventDetail,
  getEvent,
  getNames,
  getTile,
  getTracks,
  type Leaf,
  leaves,
  Names,
  type TrackNode,
  type TrackTree,
} from './api';
import { type ColorBy, colorModes } from './draw/palette';
import { clampView, length, type Span, type View, wholeSpan } from './scales/view';
import { type Area, formatArea, parseArea } from './selection/area';
import { TileStore } from './tiles/store';
import {
  anchorAt,
  formatAnchor,
  keysBeside,
  layoutRows,
  moveAmong,
  parseAnchor,
  type RowLayout,
  type RowState,
  scrolledTo,
} from './tracks/rows';
import { formatKeys, parseKeys } from './tracks/urlkeys';

export interface Selected {
  readonly track: number;
  readonly event: number;
}

export interface SelectHow {
  readonly history?: 'push' | 'replace';
  readonly keepLengths?: boolean; // the next one of the same name
}

export type Lengths = readonly [number, number]; // ps

export interface TimelineState {
  readonly tree: Accessor<TrackTree | undefined>;
  readonly names: Accessor<Names>;
  readonly error: Accessor<ApiError | undefined>;
  readonly tracks: Accessor<ReadonlyMap<number, Leaf>>;
  readonly span: Accessor<Span>;
  readonly view: Accessor<View>;
  readonly setView: (view: View) => void;
  readonly resting: () => boolean; // the link has the window and how far it is scrolled
  readonly layout: Accessor<RowLayout>;
  readonly scrolled: Accessor<number>;
  readonly setScrolled: (y: number) => void;
  readonly colorBy: Accessor<ColorBy>;
  readonly selected: Accessor<Selected | undefined>;
  readonly select: (what: Selected | undefined, how?: SelectHow) => void;
  readonly lengths: Accessor<Lengths | undefined>; // of slices of the selected name: others fade
  readonly setLengths: (range: Lengths | undefined) => void;
  readonly groupOf: (track: number) => TrackNode | undefined; // the device or process it belongs to
  readonly detail: Accessor<EventDetail | undefined>;
  readonly missing: Accessor<string>; // why there is no detail of what is selected
  readonly area: Accessor<Area | undefined>;
  readonly setArea: (area: Area | undefined, how?: 'push' | 'replace') => void;
  readonly toggleFold: (key: string) => void;
  readonly togglePin: (key: string) => void;
  readonly move: (key: string, siblings: readonly string[], by: number) => void;
  readonly store: Accessor<TileStore | undefined>;
  readonly mapStore: Accessor<TileStore | undefined>; // of the minimap: never behind what the canvas wants
  readonly tilesChanged: Accessor<number>;
  readonly mapChanged: Accessor<number>;
}

const restMs = 250;
const longest = 1e18; // ps that a link may show: more than any capture has

// Of the current run, unless another one is given. `prefix` is for its parameters in the URL, where a page has
// more than one timeline; their windows are not in it then.
export function createTimelineState(key = createRunKey(), prefix = ''): TimelineState {
  const own = (name: string): string => param(prefix + name);
  const setOwn = (changes: Params, how?: 'push' | 'replace'): void =>
    setParams(
      Object.fromEntries(Object.entries(changes).map(([name, value]) => [prefix + name, value])),
      how,
    );
  const [error, setError] = createSignal<ApiError | undefined>();
  const [tileError, setTileError] = createSignal<ApiError | undefined>(); // until one comes again
  const asError = (problem: unknown): ApiError =>
    problem instanceof ApiError ? problem : new ApiError(0, String(problem), '');
  const fail = (problem: unknown): void => {
    setError(asError(problem));
  };

  const [tree, setTree] = createSignal<TrackTree | undefined>();
  const [names, setNames] = createSignal(new Names(), { equals: false });
  const [tilesChanged, setTilesChanged] = createSignal(0);
  const [mapChanged, setMapChanged] = createSignal(0);
  const [store, setStore] = createSignal<TileStore | undefined>();
  const [mapStore, setMapStore] = createSignal<TileStore | undefined>();
  createEffect(() => {
    const run = key();
    if (!run) return;
    let current = true;
    setError(undefined);
    setTileError(undefined);
    const openStore = (onChange: () => void): TileStore =>
      new TileStore(
        async (query, signal) => {
          const tile = await getTile(run.id, run.version, query, signal);
          setTileError(undefined);
          return tile;
        },
        onChange,
        problem => setTileError(asError(problem)),
      );
    const tiles = openStore(() => setTilesChanged(n => n + 1));
    const map = openStore(() => setMapChanged(n => n + 1));
    setStore(tiles);
    setMapStore(map);
    // First what the file has; what is derived from it comes a moment later and keeps the places.
    const load = async (): Promise<void> => {
      const quick = await getTracks(run.id, run.version, false);
      if (current) setTree(quick);
      const show = (page: Names): void => {
        if (current) setNames(page);
      };
      const captured = quick.derived === 'pending';
      const known = getNames(run.id, run.version, show, { captured });
      known.catch(fail);
      if (!captured || !current) return;
      const full = await getTracks(run.id, run.version, true);
      if (!current) return;
      setTree(full);
      await getNames(run.id, run.version, show, { known: await known });
    };
    load().catch(fail);
    onCleanup(() => {
      current = false;
      tiles.close();
      map.close();
      setTree(undefined);
      setNames(new Names()); // ids of another run mean other names
    });
  });

  const tracks = createMemo(() => new Map(leaves(tree()?.tree ?? []).map(leaf => [leaf.track, leaf])));
  const groups = createMemo(() => groupsOf(tree()?.tree ?? []));
  const span = createMemo<Span>(() => tree()?.span ?? [0, 1e12]);

  // Only when one of them changes, not with every other part of the address: rows that are made anew lose the focus.
  const rowTexts = createMemo(
    () => [own('fold'), own('pin'), own('order'), own('tracks')] as const,
    undefined,
    {
      equals: (a, b) => a.every((text, i) => text === b[i]),
    },
  );
  const rowState = createMemo<RowState>(() => {
    const [fold, pin, order, filter] = rowTexts();
    return {
      folded: parseKeys(fold),
      pinned: [...parseKeys(pin)],
      order: new Map(
        order
          .split('|')
          .filter(Boolean)
          .map(entry => {
            const at = entry.lastIndexOf(':');
            return [entry.slice(0, at), Number(entry.slice(at + 1))] as const;
          }),
      ),
      filter,
    };
  });
  const layout = createMemo(() => layoutRows(tree()?.tree ?? [], rowState()));
  const { scrolled, setScrolled, scrollRests } = createScroll(layout, () => own('top'), prefix === '');

  const { view, setView, resting } = createView(
    span,
    createMemo(() => tree() !== undefined),
  );

  const selected = createMemo(() => parseSelected(own('sel')), undefined, {
    equals: (a, b) => a?.track === b?.track && a?.event === b?.event,
  });
  const [missing, setMissing] = createSignal('');
  const [detail] = createResource(
    () => (selected() && key() ? { ...selected()!, ...key()! } : undefined),
    async ({ id, version, track, event }) => {
      setMissing('');
      try {
        return await getEvent(id, version, track, event);
      } catch (problem) {
        const { status, message, hint } = asError(problem);
        const isThere = status < 400 || status >= 500;
        setMissing(
          isThere
            ? `This slice could not be looked up: ${message} ${hint}`
            : `What this link selects is not in this capture: ${message}`,
        );
        return undefined;
      }
    },
  );
  // What is selected now, not what was before, is waited for.
  const awaited = (): string | undefined => {
    const why = detail.loading ? trouble() : undefined;
    return why && `This slice is still to come: ${why.message}`;
  };
  const area = createMemo(() => parseArea(own('area')));

  const toggle = (name: string, entry: string): void => {
    const keys = parseKeys(own(name));
    if (!keys.delete(entry)) keys.add(entry);
    setOwn({ [name]: formatKeys(keys) });
  };

  return {
    tree,
    names,
    error: () => error() ?? tileError(),
    tracks,
    span,
    view,
    setView,
    resting: () => resting() && scrollRests(),
    layout,
    scrolled,
    setScrolled,
    colorBy: () => colorModes.find(mode => mode === own('color')) ?? 'category',
    selected,
    select: (what, { history = 'push', keepLengths = false } = {}) =>
      setOwn(
        { sel: what ? `${what.track}.${what.event}` : '', ...(keepLengths ? {} : { lengths: '' }) },
        history,
      ),
    lengths: createMemo(() => parseLengths(own('lengths'))),
    setLengths: range => setOwn({ lengths: range ? `${Math.round(range[0])}-${Math.round(range[1])}` : '' }),
    groupOf: track => groups().get(track),
    detail: () => (selected() && !awaited() ? detail.latest : undefined),
    missing: () => (selected() ? (awaited() ?? missing()) : ''),
    area,
    setArea: (next, how = 'replace') => setOwn({ area: next ? formatArea(next) : '' }, how),
    toggleFold: entry => toggle('fold', entry),
    togglePin: entry => toggle('pin', entry),
    move: (entry, siblings, by) => {
      const next = moveAmong(keysBeside(tree()?.tree ?? [], entry, rowState()), siblings, entry, by);
      if (!next) return;
      const positions = new Map(rowState().order);
      next.forEach((other, i) => {
        positions.set(other, i);
      });
      setOwn({ order: [...positions].map(([name, i]) => `${name}:${i}`).join('|') });
    },
    store,
    mapStore,
    tilesChanged,
    mapChanged,
  };
}

function parseLengths(text: string): Lengths | undefined {
  const match = /^(\d+)-(\d+)$/.exec(text);
  return match ? [Number(match[1]), Number(match[2])] : undefined;
}

// The node above each track.
function groupsOf(nodes: readonly TrackNode[], above?: TrackNode): Map<number, TrackNode> {
  const found = new Map<number, TrackNode>();
  for (const node of nodes) {
    if (node.track !== undefined && above) found.set(node.track, above);
    for (const [track, group] of groupsOf(node.children ?? [], node)) found.set(track, group);
  }
  return found;
}

function parseSelected(text: string): Selected | undefined {
  const match = /^(\d+)\.(\d+)$/.exec(text);
  return match ? { track: Number(match[1]), event: Number(match[2]) } : undefined;
}

// How far the rows are scrolled, in step with `top` of the URL: the row at the top, so that a link holds where
// other rows come and go. That row keeps its place too when they do while the page is open.
function createScroll(layout: Accessor<RowLayout>, fromUrl: () => string, inUrl: boolean) {
  const [scrolled, put] = createSignal(0);
  let written = '';
  let wanted = parseAnchor(fromUrl()); // its row may come with the derived tracks
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    written = formatAnchor(anchorAt(layout().rows, scrolled()));
    if (inUrl && route().page === 'timeline') setParams({ top: written });
  };
  createEffect(
    on(layout, (now, before) => {
      const anchor = wanted ?? (before && anchorAt(before.rows, scrolled()));
      const to = anchor && scrolledTo(now.rows, anchor);
      if (to === undefined) return;
      wanted = undefined;
      put(to);
    }),
  );
  createEffect(
    on(
      createMemo(fromUrl),
      text => {
        if (text === written) return;
        written = text;
        const anchor = parseAnchor(text);
        put(anchor ? (scrolledTo(layout().rows, anchor) ?? scrolled()) : 0);
      },
      { defer: true },
    ),
  );
  onLeave(() => timer !== undefined && write());
  onCleanup(() => clearTimeout(timer));
  return {
    scrolled,
    scrollRests: () => timer === undefined,
    setScrolled: (y: number): void => {
      if (y === scrolled()) return;
      put(y);
      clearTimeout(timer);
      timer = setTimeout(write, restMs);
    },
  };
}

// The window, in step with `from` and `to` of the URL.
function createView(span: Accessor<Span>, ready: Accessor<boolean>) {
  const fromUrl = (): View | undefined => {
    const from = Number(param('from'));
    const to = Number(param('to'));
    return param('from') !== '' && to > from && to - from < longest ? { from, to } : undefined;
  };
  const [view, put] = createSignal<View>(fromUrl() ?? { from: 0, to: 1e12 });
  // Without `from` and `to` it is the whole of the run, which may be another one now.
  const placeOf = (from: string, to: string): string => [from, to, ...span()].join(' ');
  let written = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const whole = Math.abs(length(view()) - length(wholeSpan(span()))) < length(view()) * 1e-6;
    const next = whole
      ? { from: '', to: '' }
      : { from: String(Math.round(view().from)), to: String(Math.round(view().to)) };
    written = placeOf(next.from, next.to);
    if (route().page === 'timeline') setParams(next);
  };
  // Only when these change: a selection must not undo a move that is not yet in the link.
  const [fromText, toText] = [createMemo(() => param('from')), createMemo(() => param('to'))];
  createEffect(
    on([ready, fromText, toText, span], ([isReady, from, to]) => {
      if (!isReady || placeOf(from, to) === written) return;
      written = placeOf(from, to);
      put(clampView(fromUrl() ?? wholeSpan(span()), span()));
    }),
  );
  // Leaving the page before the window rested must not lose it: going back restores it.
  onLeave(() => timer !== undefined && write());
  onCleanup(() => clearTimeout(timer));
  return {
    view,
    resting: () => timer === undefined,
    setView: (next: View): void => {
      put(next);
      clearTimeout(timer);
      timer = setTimeout(write, restMs);
    },
  };
}
