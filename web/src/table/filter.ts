// The filter box of a table. Words must all occur somewhere in a row; "share>5" and "time>=10us" compare a
// column, "name:dot" looks into one column only, "category=sort|fft" wants one of several texts. Quotes keep spaces:
// "device put".
import type { Cell, Column, Row, Table } from '../api/document';

type Test = (row: Row) => boolean;

const unitFactors: Record<string, number> = {
  ns: 1e3,
  us: 1e6,
  µs: 1e6,
  ms: 1e9,
  s: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  'kb/s': 1e3,
  'mb/s': 1e6,
  'gb/s': 1e9,
};

export function cellText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (Array.isArray(cell)) return cell.map(String).join(', ');
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function quantity(text: string): number {
  const match = /^(-?[\d.]+)\s*([a-zµ/%]*)$/i.exec(text);
  if (!match) return Number.NaN;
  return Number(match[1]) * (unitFactors[match[2]!.toLowerCase()] ?? 1);
}

function columnTest(columns: readonly Column[], term: string): Test | undefined {
  const match = /^([a-z0-9_]+)(>=|<=|>|<|=|:)(.+)$/.exec(term);
  const index = match ? columns.findIndex(column => column.name === match[1]) : -1;
  if (!match || index < 0) return undefined;
  const [, , operator, wanted = ''] = match;
  const text = wanted.toLowerCase();
  if (operator === ':') return row => cellText(row[index]).toLowerCase().includes(text);
  const limit = quantity(wanted);
  if (operator === '=' && Number.isNaN(limit)) {
    const texts = [text, ...text.split('|')];
    return row => texts.includes(cellText(row[index]).toLowerCase());
  }
  return row => {
    const value = row[index];
    if (typeof value !== 'number') return false;
    if (operator === '>') return value > limit;
    if (operator === '>=') return value >= limit;
    if (operator === '<') return value < limit;
    return operator === '<=' ? value <= limit : value === limit;
  };
}

// `more`: what else a row shows, for words that may be anywhere.
export function parseFilter(
  columns: readonly Column[],
  query: string,
  more: (row: Row) => readonly string[] = () => [],
): Test | undefined {
  const terms = query.match(/[^\s"]*"[^"]*"?|\S+/g) ?? [];
  const tests = terms
    .map(term => term.replaceAll('"', ''))
    .filter(term => term !== '')
    .map(term => columnTest(columns, term) ?? anywhere(term, more));
  return tests.length === 0 ? undefined : row => tests.every(test => test(row));
}

function anywhere(term: string, more: (row: Row) => readonly string[]): Test {
  const text = term.toLowerCase();
  const has = (shown: string): boolean => shown.toLowerCase().includes(text);
  return row => row.some(cell => has(cellText(cell))) || more(row).some(has);
}

// Positions of the rows that pass. In a tree the ancestors of a row stay with it.
export function filterRows(
  table: Table,
  query: string,
  depth = -1,
  more?: (row: Row) => readonly string[],
): number[] {
  const all = table.rows.map((_, i) => i);
  const test = parseFilter(table.columns, query, more);
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
