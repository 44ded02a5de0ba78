// Numbers for people, by the rules of the command's text output (src/gait/report/numbers.cc): the unit a
// person would say, three significant digits, one unit and one number of decimals down a column.

export type Unit = 'ps' | 'bytes' | 'bytes/s' | 'flop' | 'flop/s' | 'percent' | 'unix_ns' | '';

interface Scale {
  readonly divisor: number;
  readonly name: string;
}

const scales: Record<Unit, readonly Scale[]> = {
  ps: [
    { divisor: 1e3, name: 'ns' },
    { divisor: 1e6, name: 'µs' },
    { divisor: 1e9, name: 'ms' },
    { divisor: 1e12, name: 's' },
  ],
  bytes: [
    { divisor: 1, name: 'B' },
    { divisor: 1024, name: 'KiB' },
    { divisor: 1024 ** 2, name: 'MiB' },
    { divisor: 1024 ** 3, name: 'GiB' },
    { divisor: 1024 ** 4, name: 'TiB' },
  ],
  'bytes/s': [
    { divisor: 1, name: 'B/s' },
    { divisor: 1e3, name: 'kB/s' },
    { divisor: 1e6, name: 'MB/s' },
    { divisor: 1e9, name: 'GB/s' },
    { divisor: 1e12, name: 'TB/s' },
  ],
  flop: [
    { divisor: 1, name: 'FLOP' },
    { divisor: 1e6, name: 'MFLOP' },
    { divisor: 1e9, name: 'GFLOP' },
    { divisor: 1e12, name: 'TFLOP' },
    { divisor: 1e15, name: 'PFLOP' },
  ],
  'flop/s': [
    { divisor: 1, name: 'FLOP/s' },
    { divisor: 1e6, name: 'MFLOP/s' },
    { divisor: 1e9, name: 'GFLOP/s' },
    { divisor: 1e12, name: 'TFLOP/s' },
    { divisor: 1e15, name: 'PFLOP/s' },
  ],
  percent: [{ divisor: 1, name: '%' }],
  unix_ns: [{ divisor: 1, name: '' }], // a moment, which is written as a date
  '': [{ divisor: 1, name: '' }],
};

// Other ways to write them; sizes also in powers of 1000.
const alsoWritten: Partial<Record<Unit, readonly Scale[]>> = {
  ps: [
    { divisor: 1, name: 'ps' },
    { divisor: 1e6, name: 'us' },
    { divisor: 1e6, name: 'μs' },
  ],
  bytes: [
    { divisor: 1e3, name: 'kB' },
    { divisor: 1e6, name: 'MB' },
    { divisor: 1e9, name: 'GB' },
    { divisor: 1e12, name: 'TB' },
  ],
};

// What a number that someone wrote with a unit is multiplied by; undefined: values of that kind have no such unit.
export const unitFactor = (unit: Unit, name: string): number | undefined =>
  [...scales[unit], ...(alsoWritten[unit] ?? [])].find(
    scale => scale.name !== '' && scale.name.toLowerCase() === name.toLowerCase(),
  )?.divisor;

export const unitNames = (unit: Unit): string => scales[unit].map(scale => scale.name).join(', ');

// How all numbers of one column are written.
export interface NumberStyle {
  readonly divisor: number;
  readonly unit: string;
  readonly decimals: number;
  readonly whole: boolean;
}

export const unknown = '–';
const thin = '\u202f';

// 999.6 reads as 1000 with three digits, so it counts as the larger one already.
const almost = 0.9995;

const magnitude = (value: number): number =>
  value > 0 && Number.isFinite(value) ? Math.floor(Math.log10(value / almost)) : 0;

function scaleFor(of: readonly Scale[], largest: number, median: number): Scale {
  let i = of.length - 1;
  while (i > 0 && largest < of[i]!.divisor * almost) --i;
  if (i > 0 && median < of[i]!.divisor * 0.01 && largest < of[i - 1]!.divisor * 2e3) --i;
  return of[i]!;
}

function decimalsFor(largest: number, median: number, smallest: number): number {
  const wanted = 2 - magnitude(median);
  let most = 3 - magnitude(largest);
  if (smallest < 0.5 * 10 ** -most) ++most;
  return Math.max(0, Math.min(wanted, most, largest < almost ? 3 : 2));
}

// Of values that are not 0, in ascending order.
const sizesOf = (values: readonly number[]): number[] =>
  values
    .filter(v => v !== 0 && Number.isFinite(v))
    .map(Math.abs)
    .sort((a, b) => a - b);
const middle = (sorted: readonly number[]): number => sorted[(sorted.length - 1) >> 1] ?? 0;

// What most of the values look like: the median of those that are not 0; 0 where there is none.
export const usual = (values: readonly number[]): number => middle(sizesOf(values));

export function chooseStyle(unit: Unit, integer: boolean, values: readonly number[]): NumberStyle {
  const of = scales[unit] ?? scales[''];
  if (integer && of.length === 1) return { divisor: 1, unit: of[0]!.name, decimals: 0, whole: true };
  const sizes = sizesOf(values);
  const largest = sizes.at(-1) ?? 0;
  const median = middle(sizes);
  const scale = scaleFor(of, largest, median);
  const noPart = unit === 'bytes' && scale.divisor === 1; // there is no part of a byte
  const d = scale.divisor;
  const decimals = sizes.length === 0 || noPart ? 0 : decimalsFor(largest / d, median / d, sizes[0]! / d);
  return { divisor: d, unit: scale.name, decimals, whole: false };
}

export function grouped(digits: string): string {
  const point = digits.indexOf('.');
  const end = point < 0 ? digits.length : point;
  let out = '';
  for (let i = 0; i < digits.length; ++i) {
    if (i > 0 && i < end && digits[i - 1] !== '−' && (end - i) % 3 === 0) out += thin;
    out += digits[i];
  }
  return out;
}

export function formatNumber(style: NumberStyle, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  if (value === 0) return '0';
  const shown = value / style.divisor;
  const last = 10 ** -style.decimals;
  // A value that is not 0 never reads as 0.
  if (Math.abs(shown) < 0.5 * last) return (shown > 0 ? '<' : '−<') + last.toFixed(style.decimals);
  const digits = Math.abs(shown).toFixed(style.decimals);
  return (shown < 0 ? '−' : '') + grouped(digits);
}

// One value in running text: "19.3 ms".
export function amount(unit: Unit, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  if (value === 0) return unit === 'percent' ? '0 %' : '0';
  const style = chooseStyle(unit, false, [value]);
  const text = formatNumber(style, value);
  return style.unit ? `${text} ${style.unit}` : text;
}

export const time = (ps: number | null | undefined): string => amount('ps', ps);
export const bytes = (n: number | null | undefined): string => amount('bytes', n);
export const percent = (n: number | null | undefined): string => amount('percent', n);
// Writes all percentages of one list with the same number of decimals.
export function percents(values: readonly (number | null)[]): (value: number | null) => string {
  const style = chooseStyle(
    'percent',
    false,
    values.filter(value => value !== null),
  );
  return value => (value === null ? unknown : `${formatNumber(style, value)} %`);
}
export const count = (n: number | null | undefined): string =>
  n === null || n === undefined || !Number.isFinite(n) ? unknown : grouped(String(Math.round(n)));
export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
