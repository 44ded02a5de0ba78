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

export function decades(low: number, high: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const ticks: number[] = [];
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; ++e) ticks.push(10 ** e);
  return ticks;
}
