// Documents about several hosts: what one host has, the others often have by the same name.
import { type Document, type Row, type Rows, rowsOf } from './document';

export function severalHosts(document: Document): boolean {
  const hosts = Object.keys(document.tables).flatMap(name => {
    const rows = rowsOf(document, name);
    return rows.has('host') ? rows.all.map(row => rows.text(row, 'host')) : [];
  });
  return new Set(hosts).size > 1;
}

// For a table whose rows are of a host each: a column where there are several.
export const hostColumn = (document: Document): { readonly name: string }[] =>
  severalHosts(document) ? [{ name: 'host' }] : [];

// The device of a row, with its host where there are several.
export const deviceText = (document: Document, rows: Rows, row: Row | undefined): string =>
  `${severalHosts(document) ? `${rows.text(row, 'host')} ` : ''}${rows.text(row, 'device')}`;
