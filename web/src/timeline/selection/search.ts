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
    like?: number, // only on tracks like this one
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
    step: async (way, from, like) => {
      if (!words() || !key()) return undefined;
      const at: Query = { at: Math.round(from.begin), step: way, limit: 1 };
      const more: Query = from.event === undefined ? {} : { at_track: from.track, at_event: from.event };
      const found = await ask({ ...at, ...more, like }).catch(() => undefined);
      const match = found?.matches[0];
      setPosition(match && like === undefined ? found?.offset : undefined);
      return match;
    },
  };
}

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
      q: `/^${of.name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`,
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
