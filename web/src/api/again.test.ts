import { expect, test, vi } from 'vitest';
import { serverAnswers, trouble, untilAnswered } from './again';
import { ApiError } from './error';

const away = new ApiError(0, 'gait does not answer.', '');
const asked = (...answers: readonly (ApiError | string)[]) => {
  const left = [...answers];
  return vi.fn(async () => {
    const next = left.shift()!;
    if (typeof next === 'string') return next;
    throw next;
  });
};

test('a server that is away is asked again when it answers something else, and not before', async () => {
  const ask = asked(away, away, 'the answer');
  const answer = untilAnswered(ask);
  await vi.waitFor(() => expect(trouble()).toBe(away));
  expect(ask).toHaveBeenCalledTimes(1);
  serverAnswers();
  await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
  expect(trouble()).toBe(away);
  await new Promise(done => setTimeout(done));
  serverAnswers();
  expect(await answer).toBe('the answer');
  expect(trouble()).toBeUndefined();
});

test('a busy server is asked again after the time that it names', async () => {
  vi.useFakeTimers();
  const ask = asked(new ApiError(503, 'busy', '', 3), 'the answer');
  const answer = untilAnswered(ask);
  await vi.advanceTimersByTimeAsync(2999);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answer).toBe('the answer');
  vi.useRealTimers();
});

test('what is wrong for good is not asked again, nor what nobody wants any more', async () => {
  const gone = new ApiError(410, 'gone', '');
  await expect(untilAnswered(asked(gone))).rejects.toBe(gone);
  const stop = new AbortController();
  const answer = untilAnswered(asked(away), stop.signal);
  await vi.waitFor(() => expect(trouble()).toBe(away));
  stop.abort();
  await expect(answer).rejects.toThrow();
  expect(trouble()).toBeUndefined();
});
