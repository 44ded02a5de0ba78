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

const edge = 0.15; // of a decade: a dot has a size

// A scale of whole decades with all values inside, none of them on its edge.
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
    low: 10 ** Math.floor(Math.log10(low) - edge),
    high: 10 ** Math.ceil(Math.log10(high) + 1e-9),
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

// Where names of one height stand beside the places they belong to: as near as they can without overlapping, in the same
// order, between low and high where there is room.
export function spread(places: readonly number[], height: number, low: number, high: number): number[] {
  const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
  // Groups of names that touch; a group is centred on the mean of its places.
  const groups: { members: number[]; first: number }[] = [];
  for (const i of order) {
    let group = { members: [i], first: clamp(places[i]!, low, high) };
    for (let before = groups.at(-1); before && endOf(before) > group.first; before = groups.at(-1)) {
      groups.pop();
      const members = [...before.members, ...group.members];
      const reach = (members.length - 1) * height;
      const mean = members.reduce((sum, member) => sum + places[member]!, 0) / members.length;
      group = { members, first: clamp(mean - reach / 2, low, Math.max(low, high - reach)) };
    }
    groups.push(group);
  }
  function endOf(group: { members: number[]; first: number }): number {
    return group.first + group.members.length * height;
  }
  const found: number[] = [];
  for (const { members, first } of groups)
    members.forEach((member, i) => {
      found[member] = first + i * height;
    });
  return found;
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

// Where along a line a text of a length is in the way of the fewest dots: the first such place from the start to the
// end. `beside` is what the text takes across the line, above it below zero.
export function freeStretch(
  dots: readonly Dot[],
  line: { readonly x: number; readonly y: number; readonly angle: number },
  beside: { readonly low: number; readonly high: number },
  length: number,
  start: number,
  end: number,
): number {
  const [cos, sin] = [Math.cos(line.angle), Math.sin(line.angle)];
  const near = dots
    .map(dot => ({
      along: (dot.x - line.x) * cos + (dot.y - line.y) * sin,
      across: (dot.y - line.y) * cos - (dot.x - line.x) * sin,
      radius: dot.radius,
    }))
    .filter(dot => dot.across + dot.radius > beside.low && dot.across - dot.radius < beside.high);
  let best = start;
  let fewest = Number.POSITIVE_INFINITY;
  for (let place = start; place === start || place + length <= end; place += 8) {
    const met = near.filter(
      dot => dot.along + dot.radius > place && dot.along - dot.radius < place + length,
    ).length;
    if (met < fewest) [best, fewest] = [place, met];
  }
  return best;
}
