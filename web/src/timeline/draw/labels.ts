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

// Where labels go, and what they may say.
export interface Paper {
  readonly axis: Axis;
  readonly width: number;
  readonly nameOf: (id: number) => string;
  readonly cut: (text: string, room: number) => string;
  readonly most: number;
  readonly out: Label[];
}

// [begin, end) in pixels, as far as it is in sight.
const inSight = ({ axis, width }: Paper, begin: number, end: number): readonly [number, number] => [
  Math.max(0, (begin - axis.from) / axis.perPixel),
  Math.min(width, (end - axis.from) / axis.perPixel),
];

function write(paper: Paper, [x0, x1]: readonly [number, number], y: number, name: number): void {
  const text = paper.cut(paper.nameOf(name), x1 - x0 - 2 * inset);
  if (text !== '') paper.out.push({ x: x0 + inset, y, text });
}

export function laneLabels(paper: Paper, lane: SliceLane, piece: Piece, y: number): void {
  const { axis, width, out, most } = paper;
  const begin0 = Math.max(piece.from, axis.from);
  const end0 = Math.min(piece.to, axis.from + width * axis.perPixel);
  for (let i = 0; i < lane.begin.length && out.length < most; ++i) {
    const begin = lane.begin[i]!;
    const end = begin + lane.duration[i]!;
    if ((end - begin) / axis.perPixel < least || end <= begin0 || begin >= end0) continue;
    // A slice that reaches over several tiles is labelled by the first one in sight.
    if (begin < piece.from && piece.from > axis.from) continue;
    write(paper, inSight(paper, begin, end), y, lane.name[i]!);
  }
}

// A folded row has only buckets: those in a row that one name fills are written on like a slice.
export function bucketLabels(paper: Paper, lane: SliceLane, piece: Piece, y: number): void {
  const size = bucketWidth(piece.tile.level);
  const origin = tileBegin(piece.tile);
  const full = (i: number): boolean => lane.busy[i]! >= size * 0.99;
  for (let i = 0; i < lane.bucket.length && paper.out.length < paper.most; ) {
    let next = i + 1;
    const follows = (): boolean =>
      lane.bucket[next] === lane.bucket[next - 1]! + 1 && lane.bucketName[next] === lane.bucketName[i];
    while (next < lane.bucket.length && full(next - 1) && follows() && full(next)) ++next;
    const begin = origin + lane.bucket[i]! * size;
    const at = inSight(paper, begin, origin + (lane.bucket[next - 1]! + 1) * size);
    if (full(i) && at[1] - at[0] >= least) write(paper, at, y, lane.bucketName[i]!);
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

const endLength = 9;

// Names of threads and streams differ at their end: where there is no room, the middle is left out.
export function cutMiddle(widthOf: WidthOf): (text: string, room: number) => string {
  const cutTo = textFitter(widthOf);
  return (text, room) => {
    if (text.length <= 2 * endLength || cutTo(text, room) === text) return text;
    const end = text.slice(-endLength);
    const begin = cutTo(text.slice(0, -endLength), room - widthOf(end));
    return begin === '' ? text : begin + end;
  };
}

// Titles of rows: the words that all of a kind have go first, and of a stream the number stays.
export function cutTitle(widthOf: WidthOf): (text: string, room: number) => string {
  const [cutEnd, cutInside] = [textFitter(widthOf), cutMiddle(widthOf)];
  return (text, room) => {
    if (cutEnd(text, room) === text) return text;
    const short = text.replace(/^Stream (#\d+)\((.*)\)$/, '$1 $2').replace(/^(Stream|copies) /, '');
    if (!short.startsWith('#')) return cutInside(short, room);
    const shorter = cutEnd(short, room) === short ? short : short.replaceAll('Memcpy', '');
    return cutEnd(shorter, room) || shorter;
  };
}
