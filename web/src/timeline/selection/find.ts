// What is at a place of the canvas, and which tracks lie between two heights.
import { type Leaf, leaves } from '../api';
import { rowsInSight } from '../draw/frame';
import { length, toTime } from '../scales/view';
import type { Selected, TimelineState } from '../state';
import { levelFor, pieces, tilesOf } from '../tiles/plan';
import { laneHeight, type Row, tileName } from '../tracks/rows';
import { type Hit, hitLane } from './hit';

export interface Found {
  readonly row: Row;
  readonly hit: Hit | undefined;
}

export function findAt(
  state: TimelineState,
  width: number,
  height: number,
  x: number,
  y: number,
): Found | undefined {
  for (const { row, y: top, top: clip } of rowsInSight(state.layout(), state.scrolled(), height)) {
    if (y < clip || y < top || y >= top + row.height) continue;
    if (!row.track) return { row, hit: undefined };
    const wanted = row.open && row.track.draw !== 'counter' ? Math.floor((y - top - 1) / laneHeight) : 0;
    return { row, hit: hitRow(state, row, wanted, width, x) };
  }
  return undefined;
}

// The slice in a row above or below a place of the selected one, at the same time; without one the first in sight in
// the middle of the window. Only rows whose tiles are there can be looked at: those in sight, and a few around.
export function findBeside(
  state: TimelineState,
  width: number,
  height: number,
  from: { readonly track: number; readonly lane: number; readonly time: number } | undefined,
  way: 1 | -1,
): Selected | undefined {
  const { rows } = state.layout();
  const view = state.view();
  const time = Math.max(view.from, Math.min(view.to, from?.time ?? (view.from + view.to) / 2));
  const places = rows.flatMap(row =>
    row.track?.draw === 'slices'
      ? Array.from({ length: row.open ? row.lanes : 1 }, (_, lane) => ({
          row,
          track: row.track!.track,
          lane,
        }))
      : [],
  );
  const inSight = new Set([...rowsInSight(state.layout(), state.scrolled(), height)].map(({ row }) => row));
  const at = from
    ? places.findIndex(({ row, track, lane }) => track === from.track && (!row.open || lane === from.lane))
    : places.findIndex(({ row }) => inSight.has(row)) - 1;
  for (let i = at + way; at >= -1 && i >= 0 && i < places.length; i += way) {
    const { row, track, lane } = places[i]!;
    const hit = hitRow(state, row, lane, width, ((time - view.from) / length(view)) * width);
    if (hit && hit.kind !== 'counter') return { track, event: hit.event };
  }
  return undefined;
}

function hitRow(state: TimelineState, row: Row, wanted: number, width: number, x: number): Hit | undefined {
  const view = state.view();
  const store = state.store();
  const time = toTime(view, width, x);
  const level = levelFor(length(view) / (width * devicePixelRatio));
  const grace = (2 * length(view)) / width;
  const name = tileName(row);
  for (const tile of tilesOf(view, level)) {
    for (const piece of pieces(tile, candidate => store?.has(name, candidate) ?? false)) {
      for (const lane of store?.get(name, piece.tile)?.lanes ?? []) {
        const number = lane.lane > 0xffff ? 0 : lane.lane;
        const hit = number === wanted ? hitLane(lane, piece, time, grace) : undefined;
        if (hit) return hit;
      }
    }
  }
  return undefined;
}

// Tracks of slices that a box from y0 to y1 touches; where it touches counters only, those of their devices.
export function tracksBetween(state: TimelineState, height: number, y0: number, y1: number): number[] {
  const found: Leaf[] = [];
  const beside: Leaf[] = [];
  for (const { row, y, top } of rowsInSight(state.layout(), state.scrolled(), height)) {
    if (Math.max(y, top) > y1 || y + row.height < y0) continue;
    if (row.track?.draw === 'slices') found.push(row.track);
    else if (row.track) beside.push(...leaves(state.groupOf(row.track.track)?.children ?? []));
  }
  return tracksToSum(found.length > 0 ? found : beside.filter(leaf => leaf.draw === 'slices'));
}

// Scopes, programs and idle time are made of other tracks: beside those they would count time twice, and are summed
// only where nothing else is chosen.
export function tracksToSum(tracks: readonly Leaf[]): number[] {
  const own = tracks.filter(track => !track.derived);
  const chosen = own.length > 0 ? own : tracks;
  return [...new Set(chosen.map(track => track.track))].sort((a, b) => a - b);
}
