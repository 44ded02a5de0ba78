// Two sets of values in common bins.

export interface Overlay {
  readonly low: number;
  readonly high: number;
  readonly before: readonly number[]; // shares of its values, by bin
  readonly after: readonly number[];
  readonly highest: number;
  readonly medians: readonly [number, number]; // in bins
}

const bins = 48;

export function overlay(before: readonly number[], after: readonly number[]): Overlay {
  const all = [...before, ...after];
  const least = Math.min(...all);
  const most = Math.max(...all);
  // Some room at both ends; values that are all the same get a bin in the middle.
  const room = Math.max((most - least) / bins, Math.abs(most) * 0.001, 1e-12);
  const [low, high] = [least - room, most + room];
  const at = (value: number): number => ((value - low) / (high - low)) * bins;
  const shares = (values: readonly number[]): number[] => {
    const counts = new Array<number>(bins).fill(0);
    for (const value of values) counts[Math.min(bins - 1, Math.floor(at(value)))]! += 1 / values.length;
    return counts;
  };
  const [a, b] = [shares(before), shares(after)];
  return {
    low,
    high,
    before: a,
    after: b,
    highest: Math.max(...a, ...b),
    medians: [at(median(before)), at(median(after))],
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
