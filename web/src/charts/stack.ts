// Parts stacked on each other, for charts that draw from the back: the sum of all first.
export interface Part {
  readonly name: string;
  readonly color: string; // CSS variable
  readonly values: readonly number[];
}

// Parts that are 0 everywhere are left out. The result holds, for each part, its values plus all parts between it and
// 0: what is below 0 is stacked downwards.
export function stack(parts: readonly Part[]): {
  readonly parts: readonly Part[];
  readonly sums: readonly number[][];
} {
  const present = parts.filter(part => part.values.some(value => value !== 0));
  const sums: number[][] = [];
  const up: number[] = [];
  const down: number[] = [];
  for (const part of present) {
    sums.push(
      part.values.map((value, i) => {
        const side = value < 0 ? down : up;
        side[i] = (side[i] ?? 0) + value;
        return side[i];
      }),
    );
  }
  return { parts: present, sums };
}

// Parts that are nowhere as high as `least` become one at the end: a legend of what cannot be seen tells nothing.
export function mergeSmall(parts: readonly Part[], least: number): readonly Part[] {
  const isSmall = (part: Part): boolean => part.values.every(value => Math.abs(value) < least);
  const small = parts.filter(part => isSmall(part) && part.values.some(value => value !== 0));
  if (small.length < 2) return parts;
  const values = small[0]!.values.map((_, i) => small.reduce((sum, part) => sum + part.values[i]!, 0));
  return [
    ...parts.filter(part => !isSmall(part)),
    { name: 'other, too little to see', color: 'rest', values },
  ];
}

// How high the highest bar is.
export const highestOf = (parts: readonly Part[]): number =>
  (parts[0]?.values ?? []).reduce(
    (most, _, i) =>
      Math.max(
        most,
        parts.reduce((sum, part) => sum + Math.abs(part.values[i]!), 0),
      ),
    0,
  );

export interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number; // where it ends; grows downwards: the least is the highest bar
  readonly faint?: boolean;
}

// Half the width of a bar whose neighbour is `pitch` pixels away. Where there is no room for gaps of a whole pixel,
// there are none: they would come and go from bar to bar.
export const halfBar = (pitch: number, ratio: number): number =>
  pitch < 7 ? pitch / 2 : Math.min(0.43 * pitch, 32 * ratio);

// Bars in their order on whole pixels, each at least one wide; of those in the same column of pixels the highest stays.
export function rectangles(bars: readonly Rectangle[]): Rectangle[] {
  const drawn: Rectangle[] = [];
  for (const bar of bars) {
    const left = Math.round(bar.left);
    const right = Math.max(Math.round(bar.right), left + 1);
    const top = Math.round(bar.top);
    const last = drawn.at(-1);
    if (last?.left === left && last.right === right) {
      if (top < last.top) drawn[drawn.length - 1] = { ...bar, left, right, top };
    } else {
      drawn.push({ ...bar, left, right, top });
    }
  }
  return drawn;
}

// Where bars are named on the axis: at round names where bars are numbered on (50, 100, also of steps that begin at 1),
// else at every so many.
export function namedSplits(
  names: readonly (string | number)[],
  low: number,
  high: number,
  every: number,
): number[] {
  const first = Number(names[0]);
  const offset = names.length > 0 && names.every((name, i) => Number(name) === first + i) ? first : 0;
  const whole = Math.max(1, Math.ceil(every)); // no name between two bars
  const splits: number[] = [];
  for (let at = Math.ceil((low + offset) / whole) * whole; at <= high + offset; at += whole)
    splits.push(at - offset + 0); // not -0
  return splits;
}
