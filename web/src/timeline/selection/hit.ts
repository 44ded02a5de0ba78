// What lies at a place of the timeline: a slice, or the bucket of slices narrower than a pixel.
import type { Lane, SliceLane } from '../tiles/format';
import { bucketWidth, type Piece, tileBegin } from '../tiles/plan';

export interface SliceHit {
  readonly kind: 'slice';
  readonly event: number;
  readonly name: number;
  readonly begin: number;
  readonly duration: number;
}

export interface BucketHit {
  readonly kind: 'bucket';
  readonly event: number; // the first of them
  readonly name: number; // with the most time
  readonly count: number;
  readonly busy: number; // ps
  readonly begin: number;
  readonly duration: number; // of the bucket
}

export interface CounterHit {
  readonly kind: 'counter';
  readonly value: number;
  readonly begin: number;
}

export type Hit = SliceHit | BucketHit | CounterHit;

// The last index whose value is at most `wanted`; -1: none.
export function lastAtMost(values: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// `grace` in ps: how far beside a slice still counts.
export function hitLane(lane: Lane, piece: Piece, time: number, grace: number): Hit | undefined {
  if (time < piece.from || time >= piece.to) return undefined;
  const size = bucketWidth(piece.tile.level);
  const origin = tileBegin(piece.tile);
  const bucket = Math.floor((time - origin) / size);
  if (lane.kind === 'counter') {
    const i = lastAtMost(lane.bucket, bucket);
    if (i < 0) return undefined;
    const own = lane.bucket[i] === bucket;
    return { kind: 'counter', value: own ? lane.high[i]! : lane.last[i]!, begin: origin + bucket * size };
  }
  return sliceAt(lane, time, 0) ?? bucketAt(lane, bucket, origin, size) ?? sliceAt(lane, time, grace);
}

function sliceAt(lane: SliceLane, time: number, grace: number): SliceHit | undefined {
  const i = lastAtMost(lane.begin, time + grace);
  if (i < 0 || time > lane.begin[i]! + lane.duration[i]! + grace) return undefined;
  return {
    kind: 'slice',
    event: lane.event[i]!,
    name: lane.name[i]!,
    begin: lane.begin[i]!,
    duration: lane.duration[i]!,
  };
}

function bucketAt(lane: SliceLane, bucket: number, origin: number, size: number): BucketHit | undefined {
  const i = lastAtMost(lane.bucket, bucket);
  if (i < 0 || lane.bucket[i] !== bucket) return undefined;
  return {
    kind: 'bucket',
    event: lane.bucketEvent[i]!,
    name: lane.bucketName[i]!,
    count: lane.count[i]!,
    busy: lane.busy[i]!,
    begin: origin + bucket * size,
    duration: size,
  };
}
