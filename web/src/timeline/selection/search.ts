// The search of the timeline: how many matches, which names light up, and stepping from one to the next.
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { getJson, type Query, runPath } from '../../api/client';
import { param } from '../../app/router';
import { createRunKey } from '../../app/session';
import type { EventDetail, EventRef, SearchResult } from '../api';

export interface Search {
  readonly result: Accessor<SearchResult | undefined>;
  readonly position: Accessor<number | undefined>; // of the current match, from 0
  readonly problem: Accessor<string>;
  readonly busy: Accessor<boolean>;
  readonly step: (
    way: 'next' | 'previous',
    from: Partial<EventRef> & { begin: number },
    only?: Query, // on tracks like one (`like`), on some (`track`)
  ) => Promise<EventRef | undefined>;
}

const typingMs = 150;

export function createSearch(): Search {
  const key = createRunKey();
  const [result, setResult] = createSignal<SearchResult | undefined>();
  const [position, setPosition] = createSignal<number | undefined>();
  const [problem, setProblem] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const words = createMemo(() => param('q')); // changes only when the words do
  const ask = (query: Query, signal?: AbortSignal): Promise<SearchResult> =>
    getJson<SearchResult>(runPath(key()!.id, 'search'), { q: words(), v: key()!.version, ...query }, signal);

  createEffect(
    on([words, key], ([q, run]) => {
      setPosition(undefined);
      setProblem('');
      if (!q || !run) {
        setResult(undefined);
        setBusy(false);
        return;
      }
      const fault = faultOf(q);
      if (fault) {
        setResult(undefined);
        setBusy(false);
        setProblem(fault);
        return;
      }
      const stop = new AbortController();
      setBusy(true);
      const timer = setTimeout(async () => {
        try {
          setResult(await ask({ limit: 1 }, stop.signal));
        } catch (error) {
          if (stop.signal.aborted) return;
          setResult(undefined);
          setProblem(error instanceof Error ? error.message : String(error));
        }
        setBusy(false);
      }, typingMs);
      onCleanup(() => {
        clearTimeout(timer);
        stop.abort();
      });
    }),
  );

  return {
    result,
    position,
    problem,
    busy,
    step: async (way, from, only) => {
      if (!words() || !key() || faultOf(words())) return undefined;
      const at: Query = { at: Math.round(from.begin), step: way, limit: 1 };
      const more: Query = from.event === undefined ? {} : { at_track: from.track, at_event: from.event };
      const found = await ask({ ...at, ...more, ...only }).catch(() => undefined);
      const match = found?.matches[0];
      setPosition(match && only === undefined ? found?.offset : undefined);
      return match;
    },
  };
}

// Why a regular expression is none, as most are while they are typed: they are not asked for.
export function faultOf(words: string): string {
  const pattern = /^\/(.+)\/$/s.exec(words)?.[1];
  if (pattern === undefined) return '';
  try {
    new RegExp(pattern);
    return '';
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*\/: /s, '') : '';
    return `not a regular expression${why && `: ${why.toLowerCase()}`}`;
  }
}

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

// Slices of a host whose names have more than this one has: tables leave out what differs from call to call, as in
// "Wait: pending_threads=2/8" (CommonName in analyze/vocabulary/host_names.h).
export const withWhatDiffers = (name: string): string => `/^${escaped(name)}( \\[.*\\]|:? [^ ]*=[^ ]*)$/`;

export type FindSame = (
  of: EventDetail,
  range: readonly [number, number],
  step?: 'next' | 'previous',
) => Promise<SearchResult | undefined>;

// Slices of the same name whose durations are in a range: how many, or the next one.
export function sameFinder(): FindSame {
  const key = createRunKey();
  return (of, range, step) => {
    const run = key();
    if (!run) return Promise.resolve(undefined);
    const query: Query = {
      q: `/^${escaped(of.name)}$/`,
      in: 'names',
      like: of.track,
      min: Math.ceil(range[0]),
      max: Math.floor(range[1]),
      limit: 1,
      v: run.version,
      ...(step ? { step, at: of.begin, at_track: of.track, at_event: of.event } : {}),
    };
    return getJson<SearchResult>(runPath(run.id, 'search'), query).catch(() => undefined);
  };
}
