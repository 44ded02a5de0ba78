import { describe, expect, it } from 'vitest';
import type { EventDetail, EventRef } from '../api';
import { effectsOf, nextOfName } from './links';

describe('what a slice leads to', () => {
  const slice = (track: number, name: string): EventRef => ({
    track,
    event: 0,
    begin: 0,
    duration: 1,
    lane: 0,
    name,
  });
  const detail = (track: number, name: string, effects: EventRef[]) =>
    ({ ...slice(track, name), effects }) as unknown as EventDetail;
  const isThread = (track: number) => track === 9;
  it('is the same one on another device', () => {
    const effects = [slice(1, 'all-reduce'), slice(1, 'copy')];
    expect(effectsOf(detail(0, 'all-reduce', effects), isThread)).toEqual({
      same: [effects[0]],
      others: [effects[1]],
    });
  });
  it('is the kernel of a launch, also of one with its name', () => {
    const effects = [slice(0, 'fusion_896')];
    expect(effectsOf(detail(9, 'fusion_896', effects), isThread)).toEqual({ same: [], others: effects });
  });
});

describe('the next of the same name', () => {
  const slice = (event: number) => ({ track: 0, event, begin: event, duration: 1, lane: 0 });
  const detail = {
    ...slice(1),
    before: slice(0),
    after: slice(2),
    same: { previous: null, next: slice(7) },
  } as unknown as EventDetail;
  it('is its neighbour where it is a step, whose name has its number', () => {
    expect(nextOfName(detail, 'next', false)?.event).toBe(7);
    expect(nextOfName(detail, 'previous', false)).toBeNull();
    expect(nextOfName(detail, 'next', true)?.event).toBe(2);
    expect(nextOfName(detail, 'previous', true)?.event).toBe(0);
  });
});
