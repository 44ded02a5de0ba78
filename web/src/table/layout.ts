// What a table shows: which columns, under which head, in which number style and how wide.
import type { JSX } from 'solid-js';
import type { Column, Row, Table } from '../api/document';
import { dateTime } from '../format/dates';
import { chooseStyle, formatNumber, type NumberStyle, type Unit, unknown, usual } from '../format/numbers';
import { cellText } from './filter';

export interface ColumnSpec<Name extends string = string> {
  readonly name: Name;
  readonly label?: string;
  readonly about?: string; // shown when the head is hovered
  readonly bar?: boolean | 'signed'; // a bar behind the number; signed: from a middle, to the right for more
  readonly keepEnd?: boolean; // a path: cut at its front
  readonly whole?: boolean; // a text out of few: never cut
  readonly identifier?: boolean; // a number that is a name
  readonly partOf?: Name; // a column of the same quantity: both are written in one unit
  readonly link?: (row: Row) => string | undefined;
  readonly show?: (row: Row) => string; // text instead of the value
  readonly mark?: (row: Row) => JSX.Element; // before the text: a swatch
}

export interface ShownColumn {
  readonly column: Column;
  readonly index: number;
  readonly spec: ColumnSpec;
  readonly numeric: boolean;
  readonly key: boolean; // what a row is about
  readonly style: NumberStyle;
  readonly largest: number;
  readonly lowest: number; // below 0, or 0
  readonly highest: number; // above 0, or 0
  readonly head: string;
  readonly least: number; // width in characters
  readonly most: number; // the same: where there is room
}

export const words = (name: string): string => name.replaceAll('_', ' ');

const maxCells = 2000; // that decide the width of a column
const widest = 52; // characters
const widestPath = 84; // of a path, which is told apart by all of it
const widthWithBar = 12;
const keyLeast = 26; // what a row is about may shrink to this
const pathLeast = 16; // of a path: its last names tell the rows apart
const textLeast = 12;
const shortText = 24; // a column of such texts is as wide as its longest

// The columns of a table in their order. Columns of one unit are written in one unit, so that they can be
// compared, but for those whose values would vanish in it; parts of a quantity always are.
export function layoutColumns(
  table: Table,
  columns: readonly { readonly index: number; readonly spec: ColumnSpec }[],
  tree: boolean,
): ShownColumn[] {
  const values = columns.map(({ index }) => sampleOf(table, index));
  const byUnit = new Map<string, number[]>();
  columns.forEach(({ index }, i) => {
    const { unit } = table.columns[index]!;
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), ...values[i]!]);
  });
  return columns.map(({ index, spec }, i) => {
    const column = table.columns[index]!;
    const whole = spec.partOf ?? column.name;
    const same = columns.flatMap((other, k) =>
      (other.spec.partOf ?? table.columns[other.index]!.name) === whole ? values[k]! : [],
    );
    const alone = styleOf(column, spec, same, byUnit.get(column.unit) ?? []);
    const style = same.length === values[i]!.length ? alone : withDigits(alone, values[i]!);
    const label = spec.label ?? words(column.name);
    const shown = {
      column,
      index,
      spec,
      numeric: column.type === 'integer' || column.type === 'number',
      key: i === 0,
      style,
      head: style.unit ? `${label} ${style.unit}` : label,
      largest: largestOf(values[i]!),
      lowest: values[i]!.reduce((least, value) => Math.min(least, value), 0),
      highest: values[i]!.reduce((most, value) => Math.max(most, value), 0),
      least: 0,
      most: 0,
    };
    return { ...shown, ...widthOf(table, shown, leastOf(spec, i), tree && i === 0) };
  });
}

function leastOf(spec: ColumnSpec, position: number): number {
  if (spec.whole) return widest;
  if (position === 0) return keyLeast;
  return spec.keepEnd ? pathLeast : textLeast;
}

// The numbers of a column that decide its style: all of a short one, of a long one some, with the extremes.
function sampleOf(table: Table, index: number): number[] {
  const step = Math.max(1, Math.ceil(table.rows.length / maxCells));
  const sample: number[] = [];
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  table.rows.forEach((row, i) => {
    const value = row[index];
    if (typeof value !== 'number') return;
    if (i % step === 0) sample.push(value);
    if (Math.abs(value) > Math.abs(most)) most = value;
    if (value !== 0 && Math.abs(value) < Math.abs(least)) least = value;
  });
  if (step > 1) sample.push(most, least);
  return sample;
}

function styleOf(
  column: Column,
  spec: ColumnSpec,
  own: readonly number[],
  kin: readonly number[],
): NumberStyle {
  if (spec.identifier) return { divisor: 1, unit: '', decimals: 0, whole: true };
  const integer = column.type === 'integer';
  const alone = isRate(column.unit) ? styleOfMost(column, own) : chooseStyle(column.unit, integer, own);
  if (column.unit === 'percent') return { ...alone, decimals: Math.max(alone.decimals, partOfPercent(own)) };
  if (column.unit === '') return alone;
  const together = chooseStyle(column.unit, integer, kin);
  // Sizes are compared by their largest, times and rates by what is usual.
  const size = column.unit === 'bytes' ? largestOf(own) : usual(own);
  if (size > 0 && size < together.divisor * vanishing) return alone;
  return { ...together, decimals: alone.divisor === together.divisor ? alone.decimals : together.decimals };
}

// Where a column is smaller than those that decided its unit, it gets the digits to be told from 0.
function withDigits(style: NumberStyle, own: readonly number[]): NumberStyle {
  const size = usual(own) / style.divisor;
  const wanted = size > 0 ? 1 - Math.floor(Math.log10(size)) : 0;
  return { ...style, decimals: Math.max(style.decimals, Math.min(wanted, mostDigits)) };
}

const mostDigits = 3; // behind the point
const vanishing = 0.1; // of a unit
const longest = 1e4; // that a number may be for the sake of the others

const isRate = (unit: Unit): boolean => unit.endsWith('/s');
const largestOf = (values: readonly number[]): number =>
  values.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 0);

// In the unit of most rows, or the next in which the largest has not too many digits: one copy on the device is much
// faster than all those from the host, which are what the table is about.
function styleOfMost(column: Column, values: readonly number[]): NumberStyle {
  const integer = column.type === 'integer';
  const style = chooseStyle(column.unit, integer, values);
  const most = usual(values);
  if (most === 0 || most >= style.divisor * vanishing) return style;
  const largest = largestOf(values);
  for (let like = most; like < largest; like *= 1000) {
    const smaller = chooseStyle(column.unit, integer, [like]);
    if (largest < smaller.divisor * longest)
      return like === most ? smaller : { ...smaller, decimals: Math.max(smaller.decimals, 2) };
  }
  return style;
}

// An occupancy of 12.5 % is not 13 %, even where most are 100 %.
const partOfPercent = (values: readonly number[]): number =>
  values.some(value => Math.abs(value) < 99.95 && !Number.isInteger(value)) ? 1 : 0;

// For a CSS grid: each column as wide as its texts where there is room.
export const gridColumns = (shown: readonly ShownColumn[]): string =>
  shown.map(({ least, most }) => (least === most ? `${least}ch` : `minmax(${least}ch, ${most}ch)`)).join(' ');
export const leastWidth = (shown: readonly ShownColumn[]): string =>
  `${shown.reduce((sum, column) => sum + column.least, 0)}ch`;

export function cellShown(shown: ShownColumn, row: Row): string {
  if (shown.spec.show) return shown.spec.show(row);
  const cell = row[shown.index];
  if (cell === null || cell === undefined || cell === '') return unknown;
  if (shown.spec.identifier) return String(cell);
  if (shown.column.unit === 'unix_ns' && typeof cell === 'number') return dateTime(cell / 1e9);
  return typeof cell === 'number' ? formatNumber(shown.style, cell) : cellText(cell) || unknown;
}

function widthOf(
  table: Table,
  shown: ShownColumn,
  narrowest: number,
  tree: boolean,
): { least: number; most: number } {
  const step = Math.max(1, Math.ceil(table.rows.length / maxCells));
  const lengths: number[] = [];
  for (let i = 0; i < table.rows.length; i += step) lengths.push(cellShown(shown, table.rows[i]!).length);
  lengths.sort((a, b) => a - b);
  const head = shown.head.length * 0.8 + 3;
  const longest = lengths.at(-1) ?? 0;
  if (shown.numeric && !shown.spec.show) {
    const width = Math.ceil(Math.max(head, longest + 2.5, shown.spec.bar ? widthWithBar : 0));
    return { least: width, most: width };
  }
  // A few very long texts do not make a column of a long table wide.
  const usual =
    lengths.length < 40 || longest <= shortText ? longest : lengths[Math.floor((lengths.length - 1) * 0.95)]!;
  const wanted = Math.ceil(
    Math.max(head, Math.min(shown.spec.keepEnd ? widestPath : widest, usual * 0.92 + (tree ? 9 : 4))),
  );
  return { least: Math.min(wanted, narrowest), most: wanted };
}
