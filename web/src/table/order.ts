// The order of a table's rows. Unknown values come last in both directions.
import type { Cell, Table } from '../api/document';
import { cellText } from './filter';

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export function parseSort(text: string): Sort | undefined {
  if (text === '') return undefined;
  const descending = text.startsWith('-');
  return { column: descending ? text.slice(1) : text, descending };
}

export const formatSort = (sort: Sort | undefined): string =>
  sort ? (sort.descending ? '-' : '') + sort.column : '';

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function compareCells(a: Cell | undefined, b: Cell | undefined, descending: boolean): number {
  const aUnknown = a === null || a === undefined;
  const bUnknown = b === null || b === undefined;
  if (aUnknown || bUnknown) return Number(aUnknown) - Number(bUnknown);
  const way = descending ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return way * (a - b);
  return way * collator.compare(cellText(a), cellText(b));
}

export function sortRows(
  table: Table,
  order: readonly number[],
  sort: Sort | undefined,
  depth = -1,
): readonly number[] {
  const index = sort ? table.columns.findIndex(column => column.name === sort.column) : -1;
  if (!sort || index < 0) return order;
  const compare = (a: number, b: number): number =>
    compareCells(table.rows[a]![index], table.rows[b]![index], sort.descending) || a - b;
  if (depth < 0) return [...order].sort(compare);
  return sortTree(order, compare, i => Number(table.rows[i]![depth] ?? 0));
}

// Siblings are sorted among themselves; what is below a row stays below it.
function sortTree(
  order: readonly number[],
  compare: (a: number, b: number) => number,
  levelOf: (row: number) => number,
): number[] {
  const children = new Map<number, number[]>();
  const above: number[] = [];
  for (const i of order) {
    const level = levelOf(i);
    above.length = level;
    const parent = above.findLast(row => row !== undefined) ?? -1;
    const siblings = children.get(parent);
    if (siblings) siblings.push(i);
    else children.set(parent, [i]);
    above[level] = i;
  }
  const out: number[] = [];
  const visit = (parent: number): void => {
    for (const child of (children.get(parent) ?? []).sort(compare)) {
      out.push(child);
      visit(child);
    }
  };
  visit(-1);
  return out;
}
