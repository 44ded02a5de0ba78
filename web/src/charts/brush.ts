// A range of bars that keys choose: where it began, and the end that moves.
export type Brush = readonly [from: number, to: number];

// After an arrow key, Home or End: one bar, or with `extend` all from where it began. Undefined for other keys.
export function moveBrush(brush: Brush, key: string, extend: boolean, bars: number): Brush | undefined {
  const ends: { readonly [key: string]: number } = {
    ArrowLeft: brush[1] - 1,
    ArrowRight: brush[1] + 1,
    ArrowDown: brush[1] - 1,
    ArrowUp: brush[1] + 1,
    Home: 0,
    End: bars - 1,
  };
  const wanted = ends[key];
  if (wanted === undefined) return undefined;
  const to = Math.max(0, Math.min(bars - 1, wanted));
  return [extend ? brush[0] : to, to];
}

// Where a value lies among bars between edges: 1.5 is the middle of the second one.
export function placeAmong(edges: readonly number[], value: number): number | undefined {
  const i = edges.findIndex((edge, k) => value >= edge && value <= (edges[k + 1] ?? Number.NaN));
  if (i < 0) return undefined;
  const width = edges[i + 1]! - edges[i]!;
  return i + (width > 0 ? (value - edges[i]!) / width : 0.5);
}
