// Squarified treemap: rectangles of the given areas, as square as can be, within one of width × height.
export interface Rect {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

// Values must be in descending order. All rectangles together cover the whole.
export function treemap(values: readonly number[], width: number, height: number): Rect[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  if (!(total > 0) || width <= 0 || height <= 0) return [];
  const areas = values.map(value => (value / total) * width * height);
  const out: Rect[] = [];
  let x = 0;
  let y = 0;
  let w = width;
  let h = height;
  let i = 0;
  while (i < areas.length && areas[i]! > 0) {
    const side = Math.min(w, h);
    let end = i + 1;
    let sum = areas[i]!;
    while (
      end < areas.length &&
      worst(areas, i, end + 1, sum + areas[end]!, side) <= worst(areas, i, end, sum, side)
    ) {
      sum += areas[end]!;
      ++end;
    }
    const thick = side > 0 ? sum / side : 0;
    let at = 0;
    for (let k = i; k < end; ++k) {
      const long = thick > 0 ? areas[k]! / thick : 0;
      if (w >= h) out.push({ index: k, x, y: y + at, width: thick, height: long });
      else out.push({ index: k, x: x + at, y, width: long, height: thick });
      at += long;
    }
    if (w >= h) {
      x += thick;
      w -= thick;
    } else {
      y += thick;
      h -= thick;
    }
    i = end;
  }
  return out;
}

// The worst ratio of sides in a strip of areas[from, to) along `side`.
function worst(areas: readonly number[], from: number, to: number, sum: number, side: number): number {
  const square = side * side;
  return Math.max((square * areas[from]!) / (sum * sum), (sum * sum) / (square * areas[to - 1]!));
}
