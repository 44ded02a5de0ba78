// Key figures of the runs in a list. They come when a row is in sight, one run after the other: each is read for it.
import { createEffect, onCleanup } from 'solid-js';
import { getSummary, type Run, type Summary } from '../api/runs';

// An error names the file first; the row is about it anyway.
const withoutPath = (message: string): string => message.replace(/^[^:]*\/[^:]*: /, '');

// Asks for the figures of the runs whose element `run-ID` is in sight, once per version, in the order of the list.
export function fillSummaries(
  list: () => readonly Run[],
  set: (run: Run, summary: Summary | string) => void,
): void {
  const asked = new Set<string>();
  const isInSight = (run: Run): boolean => {
    const row = document.getElementById(`run-${run.id}`)?.getBoundingClientRect();
    return row !== undefined && row.bottom > 0 && row.top < innerHeight;
  };
  const stop = new AbortController();
  let busy = false;
  const next = async (): Promise<void> => {
    const run = list().find(
      candidate => !asked.has(`${candidate.id}@${candidate.version}`) && isInSight(candidate),
    );
    if (!run || busy || stop.signal.aborted) return;
    busy = true;
    asked.add(`${run.id}@${run.version}`);
    try {
      set(run, await getSummary(run, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) set(run, withoutPath(error instanceof Error ? error.message : String(error)));
    }
    busy = false;
    void next();
  };
  createEffect(() => {
    list();
    requestAnimationFrame(() => void next());
  });
  const onScroll = (): void => void next();
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  onCleanup(() => {
    stop.abort();
    removeEventListener('scroll', onScroll, { capture: true });
  });
}
