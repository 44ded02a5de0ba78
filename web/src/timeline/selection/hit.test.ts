import { describe, expect, it } from 'vitest';
import { hitLane, lastAtMost } from '../selection/hit';
import { exampleLane, examplePiece } from '../tiles/example';

describe('hit testing', () => {
  const both = exampleLane({
    begin: Float64Array.of(100, 300),
    duration: Float64Array.of(50, 50),
    name: Uint32Array.of(1, 2),
    event: Uint32Array.of(10, 11),
    busy: Float64Array.of(0.5),
    bucket: Uint32Array.of(200),
    count: Uint32Array.of(4),
    bucketName: Uint32Array.of(0),
    bucketEvent: Uint32Array.of(7),
  });
  it('finds slices and buckets, and nothing where nothing is', () => {
    expect(hitLane(both, examplePiece, 120, 0)).toMatchObject({ kind: 'slice', event: 10 });
    expect(hitLane(both, examplePiece, 200.5, 0)).toMatchObject({ kind: 'bucket', event: 7, count: 4 });
    expect(hitLane(both, examplePiece, 250, 0)).toBeUndefined();
    expect(hitLane(both, examplePiece, 297, 5)).toMatchObject({ event: 11 });
    expect(hitLane(both, examplePiece, 2000, 0)).toBeUndefined();
  });
  it('searches by halves', () => {
    expect(lastAtMost([1, 3, 5], 4)).toBe(1);
    expect(lastAtMost([1, 3, 5], 0)).toBe(-1);
  });
});
