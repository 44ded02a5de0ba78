// The filter box of a table. Words must all occur somewhere in a row; "share>5" and "time>=10us" compare a
// column, "name:dot" looks into one column only, "category=sort|fft" wants one of several texts, "scope=a/b/" the path
// a/b and all below it, "scope:/b/" the whole part b of a path, "source=" an empty cell. Quotes keep spaces: "device put". A column goes by its name or by the words of its head, with spaces in quotes or as underscores.
import type { Cell, Column, Row, Table } from '../api/document';
import { unitFactor, unitNames } from '../format/numbers';

type Test = (row: Row) => boolean;

// What a table shows instead of its columns' names and values.
export interface Shown {
  readonly labels?: readonly { readonly name: string; readonly label?: string }[];
  readonly texts?: (row: Row) => readonly string[]; // for words that may be anywhere
}

export interface Filter {
  readonly test?: Test; // none: every row passes
  readonly problem?: string; // why a condition cannot be met
}

export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell)) return cell.map(String).join(', ');
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

// A number in the column's own unit; what is wrong with it; undefined: it is no number.
function quantity(column: Column, text: string): number | string | undefined {
  const match = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-zµμ/%]*)$/i.exec(text);
  if (!match) return undefined;
  const factor = match[2] === '' ? 1 : unitFactor(column.unit, match[2]!);
  if (factor !== undefined) return Number(match[1]) * factor;
  const known = unitNames(column.unit);
  return `“${match[2]}” is no unit of ${column.name}${known ? `, which has ${known}` : ''}.`;
}

const normal = (name: string): string => name.trim().toLowerCase().replaceAll(' ', '_');

function findColumn(columns: readonly Column[], given: string, { labels = [] }: Shown): number {
  const name = normal(given);
  const own = columns.findIndex(column => column.name === name);
  if (own >= 0) return own;
  const meant = labels.find(({ label }) => label !== undefined && normal(label) === name);
  return columns.findIndex(column => column.name === meant?.name);
}

function columnFilter(columns: readonly Column[], term: string, shown: Shown): Filter | undefined {
  const match = /^([^<>=:]+)(?:(>=|<=|>|<|=|:)(.+)|(=))$/.exec(term);
  const index = match ? findColumn(columns, match[1]!, shown) : -1;
  if (!match || index < 0) return undefined;
  const [, , operator = '=', wanted = ''] = match;
  const column = columns[index]!;
  const text = wanted.toLowerCase();
  if (operator === ':') return { test: row => `/${cellText(row[index])}/`.toLowerCase().includes(text) };
  const isNumeric = column.type === 'integer' || column.type === 'number';
  const limit = quantity(column, wanted);
  if (operator === '=' && (!isNumeric || limit === undefined)) {
    const texts = [text, ...text.split('|')];
    const folders = texts.filter(one => one.endsWith('/'));
    const isBelow = (cell: string): boolean => folders.some(folder => `${cell}/`.startsWith(folder));
    return {
      test: row => {
        const cell = cellText(row[index]).toLowerCase();
        return texts.includes(cell) || isBelow(cell);
      },
    };
  }
  if (typeof limit !== 'number') return { test: () => false, problem: limit ?? `“${wanted}” is no number.` };
  return {
    test: row => {
      const value = row[index];
      if (typeof value !== 'number') return false;
      if (operator === '>') return value > limit;
      if (operator === '>=') return value >= limit;
      if (operator === '<') return value < limit;
      return operator === '<=' ? value <= limit : value === limit;
    },
  };
}

// The condition for a path and all below it: "contains" would take layer_10 for layer_1.
export const withBelow = (column: string, path: string): string => `${column}="${path}/"`;

export function parseFilter(columns: readonly Column[], query: string, shown: Shown = {}): Filter {
  const terms = query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  const parts = terms
    .map(term => term.replaceAll('"', ''))
    .filter(term => term !== '')
    .map(term => columnFilter(columns, term, shown) ?? { test: anywhere(term, shown) });
  const problem = parts.find(part => part.problem)?.problem;
  return {
    ...(parts.length > 0 && { test: (row: Row) => parts.every(part => part.test!(row)) }),
    ...(problem && { problem }),
  };
}

function anywhere(term: string, { texts = () => [] }: Shown): Test {
  const text = term.toLowerCase();
  const has = (shown: string): boolean => shown.toLowerCase().includes(text);
  return row => row.some(cell => has(cellText(cell))) || texts(row).some(has);
}

// Positions of the rows that pass. In a tree the ancestors of a row stay with it.
export function filterRows(table: Table, { test }: Filter, depth = -1): number[] {
  const all = table.rows.map((_, i) => i);
  if (!test) return all;
  if (depth < 0) return all.filter(i => test(table.rows[i]!));
  const keep = new Set<number>();
  const above: number[] = [];
  for (const i of all) {
    const level = Number(table.rows[i]![depth] ?? 0);
    above.length = level;
    above[level] = i;
    if (test(table.rows[i]!)) for (const ancestor of above) if (ancestor !== undefined) keep.add(ancestor);
  }
  return all.filter(i => keep.has(i));
}
