// Tiles as the server writes them (docs/http.md, "tile").
import { type CounterLane, type Section, type SliceLane, tileLayout, tileMagic } from './format';

const headBytes = 32;
const sectionHead = 24;

const sliceColumns = (lane: SliceLane): readonly (Float64Array | Uint32Array)[] => [
  lane.begin,
  lane.duration,
  lane.busy,
  lane.bucket,
  lane.count,
  lane.bucketName,
  lane.bucketEvent,
  lane.name,
  lane.event,
];
const counterColumns = (lane: CounterLane): readonly (Float64Array | Uint32Array)[] => [
  lane.low,
  lane.high,
  lane.mean,
  lane.last,
  lane.bucket,
];

export function writeTile(
  level: number,
  buckets: number,
  begin: number,
  sections: readonly Section[],
): ArrayBuffer {
  const parts = sections.map(({ track, lane }) => {
    const columns = lane.kind === 'slices' ? sliceColumns(lane) : counterColumns(lane);
    const bytes = columns.reduce((sum, column) => sum + column.byteLength, sectionHead);
    return { track, lane, columns, bytes: Math.ceil(bytes / 8) * 8 };
  });
  const buffer = new ArrayBuffer(parts.reduce((sum, part) => sum + part.bytes, headBytes));
  const view = new DataView(buffer);
  const put = (at: number, values: readonly number[]): void =>
    values.forEach((value, i) => {
      view.setUint32(at + 4 * i, value, true);
    });
  put(0, [tileMagic, tileLayout, level, buckets]);
  view.setFloat64(16, begin, true);
  put(24, [sections.length, 0]);
  let at = headBytes;
  for (const { track, lane, columns, bytes } of parts) {
    const slices = lane.kind === 'slices';
    put(at, [track, lane.lane, slices ? 0 : 1, slices ? lane.begin.length : 0, lane.bucket.length, bytes]);
    let to = at + sectionHead;
    for (const column of columns) {
      new Uint8Array(buffer, to, column.byteLength).set(
        new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
      );
      to += column.byteLength;
    }
    at += bytes;
  }
  return buffer;
}
