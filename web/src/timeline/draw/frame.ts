// One frame of the timeline: pixels of all rows in sight, then texts, then what is selected. Time per frame is
// bounded by the canvas, whatever the capture holds.
import type { Names } from '../api';
import { length, toX, type View } from '../scales/view';
import type { Area } from '../selection/area';
import type { CounterLane, Lane, SliceLane } from '../tiles/format';
import { inTime, levelFor, maxLevel, type Piece, pieces, tilesOf } from '../tiles/plan';
import type { TileStore, Wanted } from '../tiles/store';
import { laneHeight, type Row, type RowLayout, tileName } from '../tracks/rows';
import { bucketLabels, type Label, laneLabels, type Paper } from './labels';
import {
  type Band,
  type Colors,
  type LanePiece,
  type PaintStats,
  paintCounter,
  paintSlices,
  type Target,
} from './paint';

export interface FrameColors extends Colors {
  readonly ground: number;
  readonly raised: number;
  readonly line: number;
  readonly counterFill: (row: Row) => number;
  readonly counterLine: (row: Row) => number;
}

export interface FrameInput {
  readonly target: Target; // device pixels
  readonly ratio: number; // device pixels of a CSS pixel
  readonly view: View;
  readonly layout: RowLayout;
  readonly scrolled: number;
  readonly names: Names;
  readonly colors: FrameColors;
  readonly store: TileStore;
  readonly fit: (text: string, room: number) => string;
}

export interface FrameOutput {
  readonly labels: readonly Label[]; // CSS pixels
  readonly wanted: readonly Wanted[];
  readonly complete: boolean; // nothing stood in for what is not there yet
  readonly stats: PaintStats;
}

const mostLabels = 1500;
const gap = 2; // CSS pixels between lanes

// Rows in sight with their place on the canvas: the pinned ones first, the others below them.
export function* rowsInSight(
  layout: RowLayout,
  scrolled: number,
  height: number,
): Generator<{ row: Row; y: number; top: number }> {
  for (const row of layout.pinned) if (row.y < height) yield { row, y: row.y, top: 0 };
  const top = layout.pinnedHeight;
  for (const row of layout.rows) {
    const y = top + row.y - scrolled;
    if (y >= height) return;
    if (y + row.height > top) yield { row, y, top };
  }
}

export function paintFrame(input: FrameInput): FrameOutput {
  const { target, ratio, view, colors, store } = input;
  target.pixels.fill(colors.ground);
  const axis = { from: view.from, perPixel: length(view) / target.width };
  const level = levelFor(axis.perPixel);
  const tiles = tilesOf(view, level);
  const stats: PaintStats = { slices: 0, buckets: 0 };
  const paper: Paper = {
    axis: { from: view.from, perPixel: axis.perPixel * ratio },
    width: target.width / ratio,
    nameOf: id => input.names.name[id] ?? '',
    cut: input.fit,
    most: mostLabels,
    out: [],
  };
  const tracks: string[] = [];
  let complete = true;

  for (const { row, y, top } of rowsInSight(input.layout, input.scrolled, target.height / ratio)) {
    const clipTop = Math.round(top * ratio);
    if (row.kind === 'group') {
      fillRows(target, y * ratio, row.height * ratio, clipTop, colors.raised);
      continue;
    }
    fillRows(target, (y + row.height) * ratio - 1, 1, clipTop, colors.line);
    if (!row.track) continue; // to come
    const name = tileName(row);
    tracks.push(name);
    const found: Piece[] = [];
    for (const tile of tiles) {
      const parts = pieces(tile, candidate => store.has(name, candidate));
      if (parts.length !== 1 || parts[0]!.tile.level !== level) complete = false;
      found.push(...parts);
    }
    const lanes = byLane(found, piece => store.get(name, piece.tile)?.lanes ?? []);
    for (const [lane, list] of lanes) {
      const at = y + 1 + (row.open ? lane * laneHeight : 0);
      const high = row.track?.draw === 'counter' ? row.height - 4 : laneHeight - gap;
      if (at > target.height / ratio || at + high < top) continue;
      const band: Band = {
        y: Math.round(at * ratio),
        height: Math.round(high * ratio),
        top: clipTop,
        bottom: target.height,
      };
      if (list[0]?.lane.kind === 'counter') {
        const counters = list as LanePiece<CounterLane>[];
        const most = row.track?.high ?? 0;
        paintCounter(
          target,
          axis,
          band,
          counters,
          most,
          colors.counterFill(row),
          colors.counterLine(row),
          stats,
        );
        continue;
      }
      const slices = list as LanePiece<SliceLane>[];
      paintSlices(target, axis, band, slices, colors, stats);
      if (at + 4 < top) continue;
      for (const { piece, lane: of } of slices)
        (of.lane > 0xffff ? bucketLabels : laneLabels)(paper, of, piece, at + laneHeight / 2 + 2.5);
    }
  }
  complete &&= tracks.length > 0; // without tracks there is no picture yet
  const fromMiddle = [...tiles].sort(
    (a, b) =>
      Math.abs(a.index - (tiles[0]!.index + tiles.length / 2)) -
      Math.abs(b.index - (tiles[0]!.index + tiles.length / 2)),
  );
  const wanted: Wanted[] = fromMiddle.map(tile => ({ tile, tracks }));
  // When all is there: what a pan or a zoom will show next.
  if (complete && tiles.length > 0) {
    const first = tiles[0]!;
    const last = tiles.at(-1)!;
    wanted.push(
      { tile: { level, index: inTime(level, last.index + 1) }, tracks },
      { tile: { level, index: inTime(level, first.index - 1) }, tracks },
    );
    for (const tile of tilesOf(view, Math.min(level + 1, maxLevel))) wanted.push({ tile, tracks });
  }
  return { labels: paper.out, wanted, complete, stats };
}

function byLane(
  found: readonly Piece[],
  lanesOf: (piece: Piece) => readonly Lane[],
): Map<number, LanePiece<Lane>[]> {
  const lanes = new Map<number, LanePiece<Lane>[]>();
  for (const piece of found) {
    for (const lane of lanesOf(piece)) {
      const number = lane.lane > 0xffff ? 0 : lane.lane;
      const list = lanes.get(number);
      if (list) list.push({ piece, lane });
      else lanes.set(number, [{ piece, lane }]);
    }
  }
  return lanes;
}

function fillRows(target: Target, y: number, height: number, top: number, color: number): void {
  const from = Math.max(top, Math.round(y));
  const to = Math.min(target.height, Math.round(y + height));
  if (to > from) target.pixels.fill(color, from * target.width, to * target.width);
}

// Where a row of a track is on the canvas now, in CSS pixels; undefined when it is folded away or scrolled out.
export function placeOf(
  layout: RowLayout,
  scrolled: number,
  height: number,
  track: number,
): { row: Row; y: number } | undefined {
  for (const { row, y } of rowsInSight(layout, scrolled, height))
    if (row.track?.track === track) return { row, y };
  return undefined;
}

// The same of every row that is not folded away: those out of sight lie above or below the canvas.
export function placeOfAny(
  layout: RowLayout,
  scrolled: number,
  track: number,
): { row: Row; y: number } | undefined {
  for (const row of layout.pinned) if (row.track?.track === track) return { row, y: row.y };
  for (const row of layout.rows)
    if (row.track?.track === track) return { row, y: layout.pinnedHeight + row.y - scrolled };
  return undefined;
}

// A marked area as pixels of the canvas.
export const areaX = (area: Area, view: View, width: number): readonly [number, number] => [
  toX(view, width, area.from),
  toX(view, width, area.to),
];
