// Which texts are written on slices: only where they fit, cut with an ellipsis.
import type { SliceLane } from '../tiles/format';
import { bucketWidth, type Piece, tileBegin } from '../tiles/plan';
import type { Axis } from './paint';

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

export type WidthOf = (text: string) => number;

const least = 26; // pixels of a slice that gets a text
const inset = 4;

export function laneLabels(
  lane: SliceLane,
  piece: Piece,
  axis: Axis,
  width: number,
  y: number,
  nameOf: (id: number) => string,
  cut: (text: string, room: number) => string,
  out: Label[],
  most: number,
): void {
  const begin0 = Math.max(piece.from, axis.from);
  const end0 = Math.min(piece.to, axis.from + width * axis.perPixel);
  for (let i = 0; i < lane.begin.length && out.length < most; ++i) {
    const begin = lane.begin[i]!;
    const end = begin + lane.duration[i]!;
    if ((end - begin) / axis.perPixel < least || end <= begin0 || begin >= end0) continue;
    // A slice that reaches over several tiles is labelled by the first one in sight.
    if (begin < piece.from && piece.from > axis.from) continue;
    const x0 = Math.max(0, (begin - axis.from) / axis.perPixel);
    const x1 = Math.min(width, (end - axis.from) / axis.perPixel);
    const text = cut(nameOf(lane.name[i]!), x1 - x0 - 2 * inset);
    if (text !== '') out.push({ x: x0 + inset, y, text });
  }
}

// A folded row has only buckets: those in a row that one name fills are written on like a slice.
export function bucketLabels(
  lane: SliceLane,
  piece: Piece,
  axis: Axis,
  width: number,
  y: number,
  nameOf: (id: number) => string,
  cut: (text: string, room: number) => string,
  out: Label[],
  most: number,
): void {
  const size = bucketWidth(piece.tile.level);
  const origin = tileBegin(piece.tile);
  const full = (i: number): boolean => lane.busy[i]! >= size * 0.99;
  for (let i = 0; i < lane.bucket.length && out.length < most; ) {
    let next = i + 1;
    const follows = (): boolean =>
      lane.bucket[next] === lane.bucket[next - 1]! + 1 && lane.bucketName[next] === lane.bucketName[i];
    while (next < lane.bucket.length && full(next - 1) && follows() && full(next)) ++next;
    const x0 = Math.max(0, (origin + lane.bucket[i]! * size - axis.from) / axis.perPixel);
    const x1 = Math.min(width, (origin + (lane.bucket[next - 1]! + 1) * size - axis.from) / axis.perPixel);
    if (full(i) && x1 - x0 >= least) {
      const text = cut(nameOf(lane.bucketName[i]!), x1 - x0 - 2 * inset);
      if (text !== '') out.push({ x: x0 + inset, y, text });
    }
    i = next;
  }
}

// Cuts texts by the widths of their characters, so that no text is measured twice.
export function textFitter(widthOf: WidthOf): (text: string, room: number) => string {
  const widths = new Map<string, number>();
  const charWidth = (char: string): number => {
    let width = widths.get(char);
    if (width === undefined) {
      width = widthOf(char);
      widths.set(char, width);
    }
    return width;
  };
  return (text, room) => {
    const dots = charWidth('…');
    let width = 0;
    let cut = 0; // characters that fit together with the dots
    for (let i = 0; i < text.length; ++i) {
      width += charWidth(text[i]!);
      if (width + dots <= room) cut = i + 1;
      if (width > room) return cut < 2 ? '' : `${text.slice(0, cut)}…`;
    }
    return text;
  };
}
