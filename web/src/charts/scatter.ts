// Log–log scatter: scales and hit testing.
export interface LogScale {
  readonly low: number;
  readonly high: number;
  readonly size: number; // pixels
}

// Where a value lies, from 0 to size.
export const logPosition = (scale: LogScale, value: number): number =>
  (Math.log(value / scale.low) / Math.log(scale.high / scale.low)) * scale.size;

// Without the least of the values, which hold next to nothing of the weight: a few dots far below would push all others
// together. The largest stay.
export function bulk(values: readonly number[], weights: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const least = weights.reduce((sum, weight) => sum + weight, 0) * negligible;
  let left = 0;
  const first = order.findIndex(i => {
    left += weights[i]!;
    return left >= least;
  });
  return order.slice(Math.max(0, first)).map(i => values[i]!);
}

const negligible = 0.001;

// A scale from a decade below all values to a decade above them.
export function logScale(values: readonly number[], size: number): LogScale {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high > 0)) return { low: 0.1, high: 10, size };
  return {
    low: 10 ** Math.floor(Math.log10(low)),
    high: 10 ** Math.ceil(Math.log10(high) + 1e-9 || 1),
    size,
  };
}

export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

// The dot at a place: the nearest of those that reach it, with some pixels of grace.
export function dotAt(dots: readonly Dot[], x: number, y: number, grace = 4): number {
  let best = -1;
  let nearest = Number.POSITIVE_INFINITY;
  dots.forEach((dot, i) => {
    const distance = Math.hypot(dot.x - x, dot.y - y) - dot.radius;
    if (distance <= grace && distance < nearest) {
      nearest = distance;
      best = i;
    }
  });
  return best;
}
