// The binary form of tiles (docs/http.md, "tile").
import { tileBuckets } from './plan';

export const merged = 0xffffffff;

export interface SliceLane {
  readonly kind: 'slices';
  readonly lane: number;
  readonly begin: Float64Array;
  readonly duration: Float64Array;
  readonly name: Uint32Array;
  readonly event: Uint32Array;
  readonly busy: Float64Array;
  readonly bucket: Uint32Array;
  readonly count: Uint32Array;
  readonly bucketName: Uint32Array;
  readonly bucketEvent: Uint32Array;
}

export interface CounterLane {
  readonly kind: 'counter';
  readonly lane: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly mean: Float64Array;
  readonly last: Float64Array;
  readonly bucket: Uint32Array;
}

export type Lane = SliceLane | CounterLane;

export interface Section {
  readonly track: number;
  readonly lane: Lane;
}

export const tileMagic = 0x4c495447; // "GTIL"
export const tileLayout = 1;

// `buckets`: how many it must have.
export function parseTile(buffer: ArrayBuffer, buckets: number | 'any' = tileBuckets): Section[] {
  const head = new DataView(buffer);
  if (buffer.byteLength < 32 || head.getUint32(0, true) !== tileMagic) throw new Error('not a tile');
  if (head.getUint32(4, true) !== tileLayout) throw new Error('a tile of another version: reload the page');
  if (buckets !== 'any' && head.getUint32(12, true) !== buckets) throw new Error('a tile of another width');
  const sections: Section[] = [];
  let at = 32;
  for (let i = head.getUint32(24, true); i > 0; --i) {
    const bytes = head.getUint32(at + 20, true);
    if (bytes < 24 || at + bytes > buffer.byteLength) throw new Error('a tile that ends early');
    sections.push(parseSection(buffer, head, at));
    at += bytes;
  }
  return sections;
}

function parseSection(buffer: ArrayBuffer, head: DataView, start: number): Section {
  const track = head.getUint32(start, true);
  const lane = head.getUint32(start + 4, true);
  const isCounter = head.getUint32(start + 8, true) === 1;
  const n = head.getUint32(start + 12, true);
  const m = head.getUint32(start + 16, true);
  let at = start + 24;
  const f64 = (count: number): Float64Array => {
    const column = new Float64Array(buffer, at, count);
    at += 8 * count;
    return column;
  };
  const u32 = (count: number): Uint32Array => {
    const column = new Uint32Array(buffer, at, count);
    at += 4 * count;
    return column;
  };
  if (isCounter) {
    const [low, high, mean, last] = [f64(m), f64(m), f64(m), f64(m)];
    return { track, lane: { kind: 'counter', lane, low, high, mean, last, bucket: u32(m) } };
  }
  const [begin, duration, busy] = [f64(n), f64(n), f64(m)];
  const [bucket, count, bucketName, bucketEvent] = [u32(m), u32(m), u32(m), u32(m)];
  const [name, event] = [u32(n), u32(n)];
  return {
    track,
    lane: {
      kind: 'slices',
      lane,
      begin,
      duration,
      name,
      event,
      busy,
      bucket,
      count,
      bucketName,
      bucketEvent,
    },
  };
}
