// A waterfall: each change begins where the one before it ended; parts of a change begin where it does.

export interface Change {
  readonly delta: number;
  readonly depth: number;
  readonly total: boolean; // the sum of all: from the start to the end
}

export interface Bar {
  readonly left: number; // in percent of the width
  readonly width: number;
}

export function waterfall(changes: readonly Change[]): Bar[] {
  const spans: [number, number][] = [];
  let outer = 0;
  let inner = 0;
  for (const change of changes) {
    if (change.total) {
      spans.push([0, change.delta]);
    } else if (change.depth === 0) {
      spans.push([outer, outer + change.delta]);
      inner = outer;
      outer += change.delta;
    } else {
      spans.push([inner, inner + change.delta]);
      inner += change.delta;
    }
  }
  const low = Math.min(0, ...spans.flat());
  const high = Math.max(0, ...spans.flat());
  const whole = high - low || 1;
  return spans.map(([from, to]) => ({
    left: (100 * (Math.min(from, to) - low)) / whole,
    width: (100 * Math.abs(to - from)) / whole,
  }));
}
