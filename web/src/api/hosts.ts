// Documents about several hosts: what one host has, the others often have by the same name.
import { type Document, type Row, Rows, rowsOf } from './document';
import type { Tables } from './tables';

interface OfHost {
  readonly host: string;
}
type HostTable = { [N in keyof Tables]: Tables[N] extends OfHost ? N : never }[keyof Tables];

const known = new WeakMap<Document, boolean>(); // it is asked for each row
export function severalHosts(document: Document): boolean {
  const before = known.get(document);
  if (before !== undefined) return before;
  const hosts = Object.values(document.tables).flatMap(table => {
    const rows = new Rows(table);
    return rows.has('host') ? rows.all.map(row => rows.text(row, 'host')) : [];
  });
  const several = new Set(hosts).size > 1;
  known.set(document, several);
  return several;
}

// For a table whose rows are of a host each: a column where there are several.
export const hostColumn = (document: Document): { readonly name: 'host' }[] =>
  severalHosts(document) ? [{ name: 'host' }] : [];

// The device of a row, with its host where there are several.
export const deviceText = (
  document: Document,
  rows: Rows<OfHost & { readonly device: string }>,
  row: Row | undefined,
): string => `${severalHosts(document) ? `${rows.text(row, 'host')} ` : ''}${rows.text(row, 'device')}`;

// The rows of that host; where it has none, of the first that has some.
export function rowsOfHost<N extends HostTable>(document: Document, table: N, host: string): Rows<Tables[N]> {
  const all = rowsOf(document, table);
  const of = (name: string): Row[] => all.all.filter(row => all.text(row, 'host') === name);
  const own = of(host);
  return new Rows({ ...all.table, rows: own.length > 0 ? own : of(all.text(all.all[0], 'host')) });
}

// " of NAME" where there are several hosts.
export const ofHost = (document: Document, rows: Rows<OfHost>): string =>
  severalHosts(document) ? ` of ${rows.text(rows.all[0], 'host')}` : '';
