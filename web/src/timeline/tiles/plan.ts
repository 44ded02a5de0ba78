// Tiles: the time axis at a level is cut into buckets of 2^level ps, a tile is 1024 buckets. Which tiles a
// window needs, and which of those that are there stand in for one that is not.
import type { View } from '../scales/view';

export const tileBuckets = 1024;
export const maxLevel = 48; // of the server: kMaxLevel in timeline/tile.h

export interface TileId {
  readonly level: number;
  readonly index: number;
}

export const bucketWidth = (level: number): number => 2 ** level;
export const tileWidth = (level: number): number => tileBuckets * 2 ** level;
export const tileBegin = (tile: TileId): number => tile.index * tileWidth(tile.level);
export const tileEnd = (tile: TileId): number => (tile.index + 1) * tileWidth(tile.level);

// The greatest level whose buckets are no wider than a pixel.
export function levelFor(psPerPixel: number): number {
  return Math.max(0, Math.min(maxLevel, Math.floor(Math.log2(Math.max(1, psPerPixel)))));
}

// The nearest number of a tile that begins in the time that the server knows: ±kMaxTime in base/units.h.
export function inTime(level: number, index: number): number {
  const most = Math.floor(2 ** 61 / tileWidth(level));
  return Math.max(-most, Math.min(most, index));
}

export function tilesOf(view: View, level: number): TileId[] {
  const first = inTime(level, Math.floor(view.from / tileWidth(level)));
  const last = inTime(level, Math.ceil(view.to / tileWidth(level)) - 1);
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, i) => ({ level, index: first + i }));
}

// A tile that is there, and the part of time that is drawn from it.
export interface Piece {
  readonly tile: TileId;
  readonly from: number;
  readonly to: number;
}

const coarserTried = 8;
const finerTried = 3;

// What to draw for a wanted tile: itself, or a coarser one around it, or finer ones inside it.
export function pieces(wanted: TileId, has: (tile: TileId) => boolean): Piece[] {
  const from = tileBegin(wanted);
  const to = tileEnd(wanted);
  if (has(wanted)) return [{ tile: wanted, from, to }];
  for (let up = 1; up <= coarserTried && wanted.level + up <= maxLevel; ++up) {
    const tile = { level: wanted.level + up, index: Math.floor(wanted.index / 2 ** up) };
    if (has(tile)) return [{ tile, from, to }];
  }
  for (let down = 1; down <= finerTried && wanted.level >= down; ++down) {
    const found: Piece[] = [];
    for (let i = 0; i < 2 ** down; ++i) {
      const tile = { level: wanted.level - down, index: wanted.index * 2 ** down + i };
      if (has(tile)) found.push({ tile, from: tileBegin(tile), to: tileEnd(tile) });
    }
    if (found.length > 0) return found;
  }
  return [];
}
