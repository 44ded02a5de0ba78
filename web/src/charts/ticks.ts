// Round places on an axis.
export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low) || most < 1) return [];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough * 0.999999)!;
  const ticks: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let i = first; i * step <= high + step * 1e-9; ++i) ticks.push(i === 0 ? 0 : i * step);
  return ticks;
}

export const decades = (low: number, high: number): number[] => powers(10, low, high);

// Of bytes: as few as tell sizes between them.
export const byteTicks = (low: number, high: number): number[] =>
  [32, 4].map(base => powers(base, low, high)).find(ticks => ticks.length > 2) ?? powers(2, low, high);

// The powers of a base from low to high.
function powers(base: number, low: number, high: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const ticks: number[] = [];
  const log = (value: number): number => Math.log(value) / Math.log(base);
  for (let e = Math.ceil(log(low) - 1e-9); e <= log(high) + 1e-9; ++e) ticks.push(base ** e);
  return ticks;
}
