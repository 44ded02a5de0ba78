// What all pages share: the list of runs, the run that is open, and documents that were already fetched.
import {
  type Accessor,
  createEffect,
  createMemo,
  createResource,
  createSignal,
  onCleanup,
  untrack,
} from 'solid-js';
import { ApiError, askBefore, getDocument, type Query, runPath } from '../api/client';
import type { Document } from '../api/document';
import {
  followLoading,
  getRuns,
  getSummary,
  type Progress,
  type Run,
  type RunList,
  type Summary,
} from '../api/runs';
import { route } from './router';

const [runs, setRuns] = createSignal<RunList | undefined>();
const [runsError, setRunsError] = createSignal<ApiError | undefined>();

export { runs, runsError };

const pollEvery = 2000;

// The runs as they are now, once.
export async function loadRuns(): Promise<void> {
  setRuns(await getRuns());
}

// Runs that are written while the page is open appear by themselves.
export function watchRuns(): void {
  let last = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    if (!document.hidden || runs() === undefined) {
      try {
        const list = await getRuns();
        const text = JSON.stringify(list);
        if (text !== last) setRuns(list);
        last = text;
        setRunsError(undefined);
      } catch (error) {
        setRunsError(error instanceof ApiError ? error : new ApiError(0, String(error), ''));
      }
    }
    timer = setTimeout(look, pollEvery);
  };
  void look(); // at once: everything waits for it, and its answer is on the way (index.html)
  onCleanup(() => clearTimeout(timer));
}

export const currentRun: Accessor<Run | undefined> = () => {
  const id = route().run;
  const list = runs()?.runs ?? [];
  return id === 'newest' ? (readableRuns()[0] ?? list[0]) : list.find(run => run.id === id);
};

const looksUnreadable = (run: Run): boolean =>
  run.state === 'failed' || run.devices === 'empty' || run.devices === 'damaged';

// Runs that can be compared: not those whose file is empty or damaged.
export const readableRuns = (): readonly Run[] => (runs()?.runs ?? []).filter(run => !looksUnreadable(run));

// A run that looks unreadable is asked for once, by its loading, which tells why in an answer of its own; a page would
// ask ten questions about it, and a browser reports every one that fails.
const readings = new Map<string, Promise<ApiError | undefined>>();
askBefore(async path => {
  const [, id, what] = /^runs\/([^/]+)\/(\w+)/.exec(path) ?? [];
  const listed = untrack(runs)?.runs ?? [];
  const run = what === 'load' ? undefined : listed.find(candidate => candidate.id === id);
  if (!run || !looksUnreadable(run)) return undefined;
  const key = `${run.id}@${run.version}`;
  const reading = readings.get(key) ?? whyUnreadable(run);
  readings.set(key, reading);
  return reading;
});

async function whyUnreadable(run: Run): Promise<ApiError | undefined> {
  let last: Progress | undefined;
  const on = (now: Progress): void => {
    last = now;
  };
  await followLoading(run.id, on, new AbortController().signal).catch(() => undefined);
  return last?.state === 'failed'
    ? new ApiError(422, last.error?.what ?? 'The run cannot be read.', last.error?.hint ?? '')
    : undefined;
}

export interface RunKey {
  readonly id: string;
  readonly version: string;
}

// Changes only when the run or its files do.
export function createRunKey(of: Accessor<RunKey | undefined> = currentRun): Accessor<RunKey | undefined> {
  return createMemo(
    () => {
      const run = of();
      return run ? { id: run.id, version: run.version } : undefined;
    },
    undefined,
    { equals: (a, b) => a?.id === b?.id && a?.version === b?.version },
  );
}

const documents = new Map<string, Promise<Document>>();
const kept = 64;

function fetchDocument(run: string, version: string, path: string, query: Query): Promise<Document> {
  const key = JSON.stringify([run, version, path, query]);
  const known = documents.get(key);
  if (known) return known;
  const promise = getDocument(runPath(run, path), { ...query, v: version });
  documents.set(key, promise);
  promise.catch(() => documents.delete(key));
  const oldest = documents.keys().next();
  if (documents.size > kept && !oldest.done) documents.delete(oldest.value);
  return promise;
}

export interface Loaded {
  readonly document: Accessor<Document | undefined>;
  readonly error: Accessor<ApiError | undefined>;
}

// The document of a table route for the current run, or another one; fetched anew when the run or the query
// changes. The last one stays in sight until the next one is there.
export function createDocument(
  path: () => string,
  query: () => Query | undefined = () => ({}),
  key: Accessor<RunKey | undefined> = createRunKey(),
): Loaded {
  const [error, setError] = createSignal<ApiError | undefined>();
  const source = createMemo(() => {
    const run = key();
    const what = query();
    return run && what ? JSON.stringify({ ...run, path: path(), query: what }) : undefined;
  });
  const [data] = createResource(source, async text => {
    const now = JSON.parse(text) as { id: string; version: string; path: string; query: Query };
    try {
      const document = await fetchDocument(now.id, now.version, now.path, now.query);
      setError(undefined);
      return { of: now.id, document };
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError(0, String(failure), ''));
      return undefined;
    }
  });
  return {
    document: () => {
      const now = data.latest;
      return now && now.of === key()?.id ? now.document : undefined;
    },
    error,
  };
}

// The key figures of the current run.
export function createSummary(): Accessor<Summary | undefined> {
  const [data] = createResource(createRunKey(), run => getSummary(run).catch(() => undefined));
  return () => data.latest;
}

// How far the reading of the current run is.
export function createProgress(): Accessor<Progress | undefined> {
  const key = createRunKey();
  const [progress, setProgress] = createSignal<Progress | undefined>();
  createEffect(() => {
    const run = key();
    setProgress(undefined);
    if (!run) return;
    const stop = new AbortController();
    followLoading(run.id, setProgress, stop.signal).catch(() => setProgress(undefined));
    onCleanup(() => stop.abort());
  });
  return progress;
}
