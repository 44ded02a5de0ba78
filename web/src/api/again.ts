// A server that is away, or has too much to do, is asked again: what was wanted comes when it can, on every page.
import { createSignal } from 'solid-js';
import { ApiError } from './error';

const [troubles, setTroubles] = createSignal<readonly ApiError[]>([]);
const asleep = new Set<() => void>();

// Why something is waited for.
export const trouble = (): ApiError | undefined => troubles()[0];

// Whoever asks now and then anyway calls it with each answer.
export function serverAnswers(): void {
  for (const wake of asleep) wake();
}

const mayPass = (problem: unknown): problem is ApiError =>
  problem instanceof ApiError && (problem.status === 0 || problem.status === 503);

export async function untilAnswered<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let told: ApiError | undefined;
  try {
    for (;;) {
      try {
        return await ask();
      } catch (problem) {
        if (!mayPass(problem) || signal?.aborted) throw problem;
        const before = told;
        told = problem;
        setTroubles(all => [...all.filter(other => other !== before), problem]);
        await rest(problem.againAfter, signal);
        signal?.throwIfAborted();
      }
    }
  } finally {
    if (told) setTroubles(all => all.filter(other => other !== told));
  }
}

// For so many seconds; without a number, until the server answers something else.
function rest(seconds: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(done => {
    const timer = seconds === undefined ? undefined : setTimeout(() => wake(), 1000 * seconds);
    const wake = (): void => {
      asleep.delete(wake);
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      done();
    };
    if (timer === undefined) asleep.add(wake);
    signal?.addEventListener('abort', wake);
  });
}
