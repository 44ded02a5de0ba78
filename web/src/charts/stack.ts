// Parts stacked on each other, for charts that draw from the back: the sum of all first.
export interface Part {
  readonly name: string;
  readonly color: string; // CSS variable
  readonly values: readonly number[];
}

// Parts that are nowhere above 0 are left out. The result holds, for each part, its values plus all parts below.
export function stack(parts: readonly Part[]): {
  readonly parts: readonly Part[];
  readonly sums: readonly number[][];
} {
  const present = parts.filter(part => part.values.some(value => value > 0));
  const sums: number[][] = [];
  let below: readonly number[] | undefined;
  for (const part of present) {
    const sum = part.values.map((value, i) => value + (below?.[i] ?? 0));
    sums.push(sum);
    below = sum;
  }
  return { parts: present, sums };
}
