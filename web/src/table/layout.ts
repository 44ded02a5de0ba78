// What a table shows: which columns, under which head, in which number style and how wide.
import type { JSX } from 'solid-js';
import type { Column, Row, Table } from '../api/document';
import { chooseStyle, formatNumber, type NumberStyle, unknown } from '../format/numbers';
import { cellText } from './filter';

export interface ColumnSpec {
  readonly name: string;
  readonly label?: string;
  readonly about?: string; // shown when the head is hovered
  readonly bar?: boolean; // a bar behind the number
  readonly keepEnd?: boolean; // a path: cut at its front
  readonly identifier?: boolean; // a number that is a name
  readonly link?: (row: Row) => string | undefined;
  readonly show?: (row: Row) => string; // text instead of the value
  readonly mark?: (row: Row) => JSX.Element; // before the text: a swatch
}

export interface ShownColumn {
  readonly column: Column;
  readonly index: number;
  readonly spec: ColumnSpec;
  readonly numeric: boolean;
  readonly style: NumberStyle;
  readonly largest: number;
  readonly head: string;
  readonly width: string; // of the CSS grid
}

export const words = (name: string): string => name.replaceAll('_', ' ');

const maxCells = 2000; // that decide the width of a column

export function layoutColumn(table: Table, index: number, spec: ColumnSpec, tree: boolean): ShownColumn {
  const column = table.columns[index]!;
  const numeric = column.type === 'integer' || column.type === 'number';
  const values: number[] = [];
  if (numeric) for (const row of table.rows) if (typeof row[index] === 'number') values.push(row[index]);
  const style = spec.identifier
    ? { divisor: 1, unit: '', decimals: 0, whole: true }
    : chooseStyle(column.unit, column.type === 'integer', values);
  const label = spec.label ?? words(column.name);
  const head = style.unit ? `${label} ${style.unit}` : label;
  const shown = {
    column,
    index,
    spec,
    numeric,
    style,
    head,
    largest: values.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    width: '',
  };
  return { ...shown, width: widthOf(table, shown, tree) };
}

export function cellShown(shown: ShownColumn, row: Row): string {
  if (shown.spec.show) return shown.spec.show(row);
  const cell = row[shown.index];
  if (cell === null || cell === undefined || cell === '') return unknown;
  if (shown.spec.identifier) return String(cell);
  return typeof cell === 'number' ? formatNumber(shown.style, cell) : cellText(cell) || unknown;
}

function widthOf(table: Table, shown: ShownColumn, tree: boolean): string {
  const step = Math.max(1, Math.ceil(table.rows.length / maxCells));
  const lengths: number[] = [];
  for (let i = 0; i < table.rows.length; i += step) lengths.push(cellShown(shown, table.rows[i]!).length);
  lengths.sort((a, b) => a - b);
  const head = shown.head.length * 0.9 + 3;
  if (shown.numeric && !shown.spec.show) return `${Math.ceil(Math.max(head, (lengths.at(-1) ?? 0) + 3))}ch`;
  const most = lengths[Math.floor((lengths.length - 1) * 0.95)] ?? 0;
  const wanted = Math.ceil(Math.max(head, Math.min(44, most * 0.95 + (tree ? 8 : 3))));
  if (wanted <= 14) return `${wanted}ch`;
  return `minmax(${Math.min(wanted, 18)}ch, ${wanted}fr)`;
}
