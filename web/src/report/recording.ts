// Tiles of any zoom from a recording: one tile that holds every slice of a part of the timeline (in a very
// long one the shortest as buckets), as gait's timeline/recording.h writes it.
import { type CounterLane, merged, parseTile, type Section, type SliceLane } from '../timeline/tiles/format';
import { writeTile } from '../timeline/tiles/write';

export interface TileQuery {
  readonly tracks: string; // "3,7m"
  readonly level: number;
  readonly first: number;
  readonly buckets: number;
}

export interface RecordedSlice {
  readonly track: number;
  readonly lane: number;
  readonly event: number;
  readonly name: number;
  readonly begin: number;
  readonly duration: number;
}

interface Bucket {
  busy: number;
  count: number;
  event: number;
  names: Map<number, number>; // time by name
}

export class Recording {
  private readonly level: number;
  private readonly begin: number;
  private readonly lanes = new Map<number, Section[]>();

  constructor(buffer: ArrayBuffer) {
    const head = new DataView(buffer);
    for (const section of parseTile(buffer, 'any')) {
      const known = this.lanes.get(section.track);
      if (known) known.push(section);
      else this.lanes.set(section.track, [section]);
    }
    this.level = head.getUint32(8, true);
    this.begin = head.getFloat64(16, true);
  }

  tile(query: TileQuery): ArrayBuffer {
    const sections: Section[] = [];
    for (const name of query.tracks.split(',')) {
      const track = Number.parseInt(name, 10);
      const known = this.lanes.get(track) ?? [];
      const slices = known.flatMap(({ lane }) => (lane.kind === 'slices' ? [lane] : []));
      for (const { lane } of known)
        if (lane.kind === 'counter') sections.push({ track, lane: this.counter(lane, query) });
      if (name.endsWith('m')) sections.push({ track, lane: this.merge(slices, query) });
      else for (const lane of slices) sections.push({ track, lane: this.cut(lane, query) });
    }
    return writeTile(query.level, query.buckets, query.first * 2 ** query.level, sections);
  }

  *slices(): Generator<RecordedSlice> {
    for (const [track, sections] of this.lanes)
      for (const { lane } of sections)
        if (lane.kind === 'slices')
          for (let i = 0; i < lane.begin.length; ++i)
            yield {
              track,
              lane: lane.lane,
              event: lane.event[i]!,
              name: lane.name[i]!,
              begin: lane.begin[i]!,
              duration: lane.duration[i]!,
            };
  }

  // A lane in a window: slices at least a bucket wide as themselves, the others summed up.
  private cut(lane: SliceLane, query: TileQuery): SliceLane {
    const out = new LaneBuilder(query);
    for (let i = 0; i < lane.begin.length; ++i)
      out.add(lane.begin[i]!, lane.duration[i]!, lane.name[i]!, lane.event[i]!, true);
    this.addBuckets(lane, out);
    return out.finish(lane.lane);
  }

  // All lanes as one row of buckets: what an earlier slice covers already is not counted again.
  private merge(lanes: readonly SliceLane[], query: TileQuery): SliceLane {
    const out = new LaneBuilder(query);
    const all = lanes.flatMap(lane => Array.from(lane.begin, (begin, i) => ({ begin, lane, i })));
    all.sort((a, b) => a.begin - b.begin || b.lane.duration[b.i]! - a.lane.duration[a.i]!);
    let reached = Number.NEGATIVE_INFINITY;
    for (const { begin, lane, i } of all) {
      const end = begin + lane.duration[i]!;
      const from = Math.max(begin, reached);
      out.add(from, Math.max(0, end - from), lane.name[i]!, lane.event[i]!, false);
      reached = Math.max(reached, end);
    }
    for (const lane of lanes) this.addBuckets(lane, out);
    return out.finish(merged);
  }

  private addBuckets(lane: SliceLane, out: LaneBuilder): void {
    const width = 2 ** this.level;
    lane.bucket.forEach((bucket, i) => {
      const begin = this.begin + bucket * width;
      out.spread(begin, width, lane.busy[i]!, lane.count[i]!, lane.bucketName[i]!, lane.bucketEvent[i]!);
    });
  }

  private counter(lane: CounterLane, query: TileQuery): CounterLane {
    const size = 2 ** query.level;
    const width = 2 ** this.level;
    const origin = query.first * size;
    const found: { low: number; high: number; mean: number; last: number; bucket: number }[] = [];
    lane.bucket.forEach((recorded, i) => {
      const at = Math.floor((this.begin + recorded * width - origin) / size);
      if (at >= query.buckets) return;
      const bucket = Math.max(0, at);
      const value = {
        low: lane.low[i]!,
        high: lane.high[i]!,
        mean: lane.mean[i]!,
        last: lane.last[i]!,
        bucket,
      };
      const before = found.at(-1);
      if (before?.bucket !== bucket) found.push(value);
      else if (at < 0) found[found.length - 1] = value;
      else {
        before.low = Math.min(before.low, value.low);
        before.high = Math.max(before.high, value.high);
        before.mean = (before.mean + value.mean) / 2;
        before.last = value.last;
      }
    });
    const column = (of: 'low' | 'high' | 'mean' | 'last'): Float64Array =>
      Float64Array.from(found, one => one[of]);
    return {
      kind: 'counter',
      lane: 0,
      low: column('low'),
      high: column('high'),
      mean: column('mean'),
      last: column('last'),
      bucket: Uint32Array.from(found, one => one.bucket),
    };
  }
}

class LaneBuilder {
  private readonly size: number;
  private readonly begin: number;
  private readonly end: number;
  private readonly slices: [number, number, number, number][] = [];
  private readonly buckets = new Map<number, Bucket>();

  constructor(query: TileQuery) {
    this.size = 2 ** query.level;
    this.begin = query.first * this.size;
    this.end = this.begin + query.buckets * this.size;
  }

  add(begin: number, duration: number, name: number, event: number, wide: boolean): void {
    if (begin >= this.end || begin + duration < this.begin) return;
    if (wide && duration >= this.size) this.slices.push([begin, duration, name, event]);
    else this.spread(begin, duration, duration, 1, name, event);
  }

  // Time that lies evenly in [begin, begin + duration).
  spread(begin: number, duration: number, busy: number, count: number, name: number, event: number): void {
    const from = Math.max(begin, this.begin);
    const to = Math.min(begin + duration, this.end);
    if (from >= this.end || to < this.begin) return;
    const at = (time: number): number => Math.floor((time - this.begin) / this.size);
    const last = Math.max(at(from), Math.min(at(this.end - 1), Math.ceil((to - this.begin) / this.size) - 1));
    for (let i = at(from); i <= last; ++i) {
      const part =
        Math.min(to, this.begin + (i + 1) * this.size) - Math.max(from, this.begin + i * this.size);
      const time = duration > 0 ? (busy * Math.max(0, part)) / duration : 0;
      const bucket = this.buckets.get(i) ?? { busy: 0, count: 0, event, names: new Map() };
      bucket.busy += time;
      if (i === at(from) && from === begin) bucket.count += count;
      bucket.names.set(name, (bucket.names.get(name) ?? 0) + time);
      this.buckets.set(i, bucket);
    }
  }

  finish(lane: number): SliceLane {
    const held = [...this.buckets].sort(([a], [b]) => a - b);
    const heaviest = (bucket: Bucket): number =>
      [...bucket.names].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
    return {
      kind: 'slices',
      lane,
      begin: Float64Array.from(this.slices, slice => slice[0]),
      duration: Float64Array.from(this.slices, slice => slice[1]),
      name: Uint32Array.from(this.slices, slice => slice[2]),
      event: Uint32Array.from(this.slices, slice => slice[3]),
      busy: Float64Array.from(held, ([, bucket]) => Math.min(this.size, bucket.busy)),
      bucket: Uint32Array.from(held, ([i]) => i),
      count: Uint32Array.from(held, ([, bucket]) => bucket.count),
      bucketName: Uint32Array.from(held, ([, bucket]) => heaviest(bucket)),
      bucketEvent: Uint32Array.from(held, ([, bucket]) => bucket.event),
    };
  }
}
