// Ticks of the time axis: round times, labelled in one unit with as many digits as tell them apart.
import { linearTicks } from '../../charts/ticks';
import { length, toX, type View } from './view';

export interface Tick {
  readonly x: number;
  readonly label: string;
}

const units: readonly (readonly [number, string])[] = [
  [1e12, 's'],
  [1e9, 'ms'],
  [1e6, 'µs'],
  [1e3, 'ns'],
];

export function ruler(view: View, width: number, spacing = 110): Tick[] {
  const times = linearTicks(view.from, view.to, Math.max(2, Math.floor(width / spacing)));
  const step = times.length > 1 ? times[1]! - times[0]! : length(view);
  const largest = Math.max(Math.abs(view.from), Math.abs(view.to));
  // The largest unit in which the times are at least 1 and need no more than six decimals.
  const [divisor, unit] = units.find(([size]) => largest >= size && step / size >= 1e-6) ?? units.at(-1)!;
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / divisor) + 1e-9)));
  return times.map(time => ({
    x: toX(view, width, time),
    label: time === 0 ? '0' : `${(time / divisor).toFixed(decimals)} ${unit}`,
  }));
}
