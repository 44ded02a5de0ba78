import { describe, expect, it } from 'vitest';
import { exampleLane } from '../timeline/tiles/example';
import { merged, parseTile, type Section, type SliceLane } from '../timeline/tiles/format';
import { writeTile } from '../timeline/tiles/write';
import { Recording } from './recording';

const lane = (number: number, slices: readonly (readonly [number, number, number])[]): Section => ({
  track: 7,
  lane: exampleLane({
    lane: number,
    begin: Float64Array.from(slices, slice => slice[0]),
    duration: Float64Array.from(slices, slice => slice[1]),
    name: Uint32Array.from(slices, slice => slice[2]),
    event: Uint32Array.from(slices, (_, i) => i),
  }),
});
const ask = (recording: Recording, tracks: string, level: number): SliceLane[] =>
  parseTile(recording.tile({ tracks, level, first: 0, buckets: 1024 })).map(
    section => section.lane as SliceLane,
  );
const busyOf = (of: SliceLane): number => [...of.duration, ...of.busy].reduce((sum, value) => sum + value, 0);

describe('a recording', () => {
  const slices = [
    [0, 3, 1],
    [4, 2, 2],
    [10, 40, 1],
    [60, 5, 3],
    [65, 0, 4],
  ] as const;
  const recording = new Recording(writeTile(0, 4096, 0, [lane(0, slices)]));

  it('shows slices that are a bucket wide as themselves', () => {
    const [exact] = ask(recording, '7', 0);
    expect([...exact!.begin]).toEqual([0, 4, 10, 60]);
    expect([...exact!.bucket]).toEqual([65]); // of no length: in a bucket at every zoom
  });
  it('sums up narrower ones, and nothing is left out', () => {
    const [coarse] = ask(recording, '7', 3);
    expect([...coarse!.begin]).toEqual([10]);
    expect([...coarse!.bucket]).toEqual([0, 7, 8]);
    expect([...coarse!.busy]).toEqual([5, 4, 1]);
    expect([...coarse!.count]).toEqual([2, 1, 1]);
    expect(coarse!.bucketName[0]).toBe(1); // with the most time
    for (const level of [0, 1, 2, 3, 5, 9]) expect(busyOf(ask(recording, '7', level)[0]!)).toBe(50);
  });
  it('merges lanes into what they cover together', () => {
    const two = new Recording(writeTile(0, 4096, 0, [lane(0, [[0, 10, 1]]), lane(1, [[5, 10, 2]])]));
    const [all] = ask(two, '7m', 2);
    expect(all!.lane).toBe(merged);
    expect(busyOf(all!)).toBe(15);
    expect(all!.begin).toHaveLength(0);
  });
  it('cuts at the window', () => {
    const tile = recording.tile({ tracks: '7', level: 0, first: 30, buckets: 1024 });
    const [cut] = parseTile(tile).map(section => section.lane as SliceLane);
    expect([...cut!.begin]).toEqual([10, 60]);
  });
  it('spreads recorded buckets over finer ones and folds them into coarser ones', () => {
    const summed = exampleLane({
      busy: Float64Array.from([6]),
      bucket: Uint32Array.from([2]),
      count: Uint32Array.from([3]),
      bucketName: Uint32Array.from([9]),
      bucketEvent: Uint32Array.from([5]),
    });
    const coarse = new Recording(writeTile(4, 64, 0, [{ track: 7, lane: summed }]));
    for (const level of [1, 4, 6]) {
      const [found] = ask(coarse, '7', level);
      expect(busyOf(found!)).toBeCloseTo(6);
      expect([...found!.count].reduce((a, b) => a + b)).toBe(3);
    }
  });
  it('holds a counter until it changes', () => {
    const counter = {
      kind: 'counter' as const,
      lane: 0,
      low: Float64Array.from([1, 2]),
      high: Float64Array.from([2, 4]),
      mean: Float64Array.from([1.5, 3]),
      last: Float64Array.from([2, 4]),
      bucket: Uint32Array.from([0, 3]),
    };
    const recorded = new Recording(writeTile(4, 64, 0, [{ track: 8, lane: counter }]));
    const read = (level: number) =>
      parseTile(recorded.tile({ tracks: '8', level, first: 0, buckets: 1024 }))[0]!.lane;
    expect(read(2)).toMatchObject({ bucket: Uint32Array.from([0, 12]), last: Float64Array.from([2, 4]) });
    expect(read(6)).toMatchObject({
      bucket: Uint32Array.from([0]),
      low: Float64Array.from([1]),
      high: Float64Array.from([4]),
    });
  });
});
