// Paints rows of the timeline into pixels. Pure: no DOM, no state but scratch columns. The cost of a row is
// bounded by its pixels: a tile holds at most one slice and one bucket per pixel.
import type { CounterLane, SliceLane } from '../tiles/format';
import { bucketWidth, type Piece, tileBegin } from '../tiles/plan';
import { durationStep } from './palette';

export interface Target {
  readonly pixels: Uint32Array; // width × height
  readonly width: number;
  readonly height: number;
}

export interface Axis {
  readonly from: number; // ps at x = 0
  readonly perPixel: number; // ps
}

// The part of the target a row may use: [top, bottom) clips it.
export interface Band {
  readonly y: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Colors {
  readonly names: Uint32Array;
  readonly fallback: number;
  readonly durations?: Uint32Array | undefined; // when slices are coloured by duration
  // When only slices of some lengths are to be seen: others have these colours.
  readonly outside?: { readonly min: number; readonly max: number; readonly names: Uint32Array } | undefined;
}

export interface PaintStats {
  slices: number;
  buckets: number;
}

interface Columns {
  busy: Float64Array;
  weight: Float64Array; // of the name that won the column
  color: Uint32Array;
}
let columns: Columns = { busy: new Float64Array(0), weight: new Float64Array(0), color: new Uint32Array(0) };

function clearedColumns(width: number): Columns {
  if (columns.busy.length < width) {
    columns = {
      busy: new Float64Array(width),
      weight: new Float64Array(width),
      color: new Uint32Array(width),
    };
  } else {
    columns.busy.fill(0, 0, width);
    columns.weight.fill(0, 0, width);
  }
  return columns;
}

export interface LanePiece<L> {
  readonly piece: Piece;
  readonly lane: L;
}

export function paintSlices(
  target: Target,
  axis: Axis,
  band: Band,
  lanes: readonly LanePiece<SliceLane>[],
  colors: Colors,
  stats: PaintStats,
): void {
  const into = clearedColumns(target.width);
  for (const { piece, lane } of lanes) addBuckets(target.width, axis, piece, lane, colors, into, stats);
  paintColumns(target, band, into, 1 / axis.perPixel);
  for (const { piece, lane } of lanes) addSlices(target, axis, band, piece, lane, colors, stats);
}

function colorOf(colors: Colors, name: number, duration: number): number {
  if (colors.durations) return colors.durations[durationStep(duration)]!;
  const outside = colors.outside;
  const hidden = outside !== undefined && (duration < outside.min || duration > outside.max);
  return (hidden ? outside.names[name] : colors.names[name]) ?? colors.fallback;
}

function addBuckets(
  width: number,
  axis: Axis,
  piece: Piece,
  lane: SliceLane,
  colors: Colors,
  into: Columns,
  stats: PaintStats,
): void {
  const size = bucketWidth(piece.tile.level);
  const origin = tileBegin(piece.tile);
  const perPixel = axis.perPixel;
  const wide = size / perPixel; // pixels of a bucket
  for (let i = 0; i < lane.bucket.length; ++i) {
    const begin = origin + lane.bucket[i]! * size;
    if (begin + size <= piece.from || begin >= piece.to) continue;
    const left = (begin - axis.from) / perPixel;
    const right = left + wide;
    if (right <= 0 || left >= width) continue;
    ++stats.buckets;
    const busy = lane.busy[i]!;
    const color = colorOf(colors, lane.bucketName[i]!, busy / Math.max(1, lane.count[i]!));
    // Each column gets the part of the bucket that lies in it, so that even work looks even.
    for (let x = Math.max(0, Math.floor(left)); x < right && x < width; ++x) {
      const part = busy * ((Math.min(right, x + 1) - Math.max(left, x)) / wide);
      into.busy[x]! += Math.max(part, 1e-9);
      if (part >= into.weight[x]!) {
        into.weight[x] = part;
        into.color[x] = color;
      }
    }
  }
}

// A column is as high as the part of its time that is busy; what is there is seen, however little.
function paintColumns(target: Target, band: Band, from: Columns, perPs: number): void {
  const { pixels, width } = target;
  const bottom = band.y + band.height;
  for (let x = 0; x < width; ++x) {
    const busy = from.busy[x]!;
    if (busy === 0) continue;
    const high = Math.max(2, Math.min(band.height, Math.round(busy * perPs * band.height)));
    const color = from.color[x]!;
    const end = Math.min(bottom, band.bottom);
    for (let y = Math.max(bottom - high, band.top); y < end; ++y) pixels[y * width + x] = color;
  }
}

function addSlices(
  target: Target,
  axis: Axis,
  band: Band,
  piece: Piece,
  lane: SliceLane,
  colors: Colors,
  stats: PaintStats,
): void {
  const left = Math.max(0, Math.floor((piece.from - axis.from) / axis.perPixel));
  const right = Math.min(target.width, Math.ceil((piece.to - axis.from) / axis.perPixel));
  const top = Math.max(band.y, band.top);
  const bottom = Math.min(band.y + band.height, band.bottom);
  if (left >= right || top >= bottom) return;
  const { pixels, width } = target;
  for (let i = 0; i < lane.begin.length; ++i) {
    const begin = lane.begin[i]!;
    const duration = lane.duration[i]!;
    const exact0 = (begin - axis.from) / axis.perPixel;
    const exact1 = (begin + duration - axis.from) / axis.perPixel;
    let x0 = Math.round(exact0);
    let x1 = Math.max(x0 + 1, Math.round(exact1));
    if (x1 - x0 > 3) --x1; // a gap to the next one
    if (x1 <= left || x0 >= right) continue;
    x0 = Math.max(x0, left);
    x1 = Math.min(x1, right);
    ++stats.slices;
    const color = colorOf(colors, lane.name[i]!, duration);
    if (x1 - x0 > 8) {
      for (let y = top; y < bottom; ++y) pixels.fill(color, y * width + x0, y * width + x1);
    } else {
      for (let y = top; y < bottom; ++y) {
        const row = y * width;
        for (let x = x0; x < x1; ++x) pixels[row + x] = color;
      }
    }
  }
}

// A counter as an area under its greatest values, with a line on top. A value holds until the next one.
export function paintCounter(
  target: Target,
  axis: Axis,
  band: Band,
  lanes: readonly LanePiece<CounterLane>[],
  high: number,
  fill: number,
  line: number,
  stats: PaintStats,
): void {
  const { pixels, width } = target;
  const values = clearedColumns(width).busy;
  for (const { piece, lane } of lanes) {
    const size = bucketWidth(piece.tile.level);
    const origin = tileBegin(piece.tile);
    for (let i = 0; i < lane.bucket.length; ++i) {
      ++stats.buckets;
      const begin = Math.max(origin + lane.bucket[i]! * size, piece.from);
      const own = origin + (lane.bucket[i]! + 1) * size;
      const next = i + 1 < lane.bucket.length ? origin + lane.bucket[i + 1]! * size : piece.to;
      if (next <= piece.from || begin >= piece.to) continue;
      raise(values, axis, width, begin, Math.min(own, piece.to), lane.high[i]!);
      raise(values, axis, width, own, Math.min(next, piece.to), lane.last[i]!);
    }
  }
  if (!(high > 0)) return;
  const bottom = band.y + band.height;
  for (let x = 0; x < width; ++x) {
    const value = values[x]!;
    if (value <= 0) continue;
    const y0 = bottom - Math.max(1, Math.round((Math.min(value, high) / high) * band.height));
    for (let y = Math.max(y0, band.top); y < Math.min(bottom, band.bottom); ++y)
      pixels[y * width + x] = y === y0 ? line : fill;
  }
}

function raise(
  values: Float64Array,
  axis: Axis,
  width: number,
  from: number,
  to: number,
  value: number,
): void {
  if (to <= from) return;
  const x0 = Math.max(0, Math.floor((from - axis.from) / axis.perPixel));
  const x1 = Math.min(width - 1, Math.floor((to - axis.from) / axis.perPixel - 1e-9));
  for (let x = x0; x <= x1; ++x) if (value > values[x]!) values[x] = value;
}
