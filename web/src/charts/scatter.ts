// Log–log scatter: scales and hit testing.
export interface LogScale {
  readonly low: number;
  readonly high: number;
  readonly size: number; // pixels
}

// Where a value lies, from 0 to size.
export const logPosition = (scale: LogScale, value: number): number =>
  (Math.log(value / scale.low) / Math.log(scale.high / scale.low)) * scale.size;

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
