// Documents about several hosts: what one host has, the others often have by the same name.
import { type Document, type Row, Rows, rowsOf } from './document';

const known = new WeakMap<Document, boolean>(); // it is asked for each row
export function severalHosts(document: Document): boolean {
  const before = known.get(document);
  if (before !== undefined) return before;
  const hosts = Object.keys(document.tables).flatMap(name => {
    const rows = rowsOf(document, name);
    return rows.has('host') ? rows.all.map(row => rows.text(row, 'host')) : [];
  });
  const several = new Set(hosts).size > 1;
  known.set(document, several);
  return several;
}

// For a table whose rows are of a host each: a column where there are several.
export const hostColumn = (document: Document): { readonly name: string }[] =>
  severalHosts(document) ? [{ name: 'host' }] : [];

// The device of a row, with its host where there are several.
export const deviceText = (document: Document, rows: Rows, row: Row | undefined): string =>
  `${severalHosts(document) ? `${rows.text(row, 'host')} ` : ''}${rows.text(row, 'device')}`;

// The rows of that host; where it has none, of the first that has some.
export function rowsOfHost(document: Document, table: string, host: string): Rows {
  const all = rowsOf(document, table);
  const of = (name: string): Row[] => all.all.filter(row => all.text(row, 'host') === name);
  const own = of(host);
  return new Rows({ ...all.table, rows: own.length > 0 ? own : of(all.text(all.all[0], 'host')) });
}

// " of NAME" where there are several hosts.
export const ofHost = (document: Document, rows: Rows): string =>
  severalHosts(document) ? ` of ${rows.text(rows.all[0], 'host')}` : '';
