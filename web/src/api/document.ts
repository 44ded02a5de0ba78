// What the server answers for a table route: the document that `gait VERB RUN --json` prints (docs/json.md).
import type { Unit } from '../format/numbers';
import type { Tables } from './tables';

export type Cell = string | number | null | readonly unknown[] | { readonly [key: string]: unknown };
export type Row = readonly Cell[];

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'any';
  readonly unit: Unit;
}

// The columns of a table with the type of their values: of tables.ts, or any.
export interface AnyColumns {
  readonly [name: string]: unknown;
}
export type NameIn<C> = keyof C & string;
export type ColumnOf<N extends keyof Tables> = NameIn<Tables[N]>;

export interface Table<C = AnyColumns> {
  readonly types?: C | undefined; // only for the compiler
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface Loss {
  readonly kind: string;
  readonly place: string;
  readonly reason: string;
  readonly count: number;
}

// A piece of the document's texts that leads further.
export interface DocumentLink {
  readonly text: string;
  readonly verb: string | null; // null: the same page
  readonly parameters: { readonly [key: string]: string };
}

export interface Document {
  readonly schema: number;
  readonly verb: string;
  readonly source: string | readonly string[];
  readonly answer: string;
  readonly warnings: readonly string[];
  readonly losses: readonly Loss[];
  readonly notes: readonly string[];
  readonly links?: readonly DocumentLink[];
  readonly tables: { readonly [name: string]: Table };
  readonly texts?: { readonly [name: string]: string };
}

const longIntegers = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;

// JSON as the server writes it. Integers may need 64 bits: an identifier that a double cannot hold stays text,
// a quantity (a column with a unit) becomes the nearest number.
export function parseDocument(text: string): Document {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Document;
  const kept = text.replace(longIntegers, token => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return token;
    return `"${token}"`;
  });
  const document = JSON.parse(kept) as Document;
  for (const table of Object.values(document.tables)) restoreQuantities(table);
  return document;
}

function restoreQuantities(table: Table): void {
  table.columns.forEach((column, i) => {
    if (column.unit === '' || column.type === 'string') return;
    for (const row of table.rows as Cell[][]) if (typeof row[i] === 'string') row[i] = Number(row[i]);
  });
}

// Reads cells of a table by column name, which the compiler checks. Absent columns read as unknown: some tables have
// columns that others of their name lack.
export class Rows<C = AnyColumns> {
  private readonly index = new Map<string, number>();
  constructor(readonly table: Table<C>) {
    table.columns.forEach((column, i) => {
      this.index.set(column.name, i);
    });
  }
  get length(): number {
    return this.table.rows.length;
  }
  get all(): readonly Row[] {
    return this.table.rows;
  }
  has(name: string): boolean {
    return this.index.has(name);
  }
  cell(row: Row | undefined, name: NameIn<C>): Cell {
    const i = this.index.get(name);
    return i === undefined || !row ? null : (row[i] ?? null);
  }
  text(row: Row | undefined, name: NameIn<C>): string {
    const value = this.cell(row, name);
    return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  number(row: Row | undefined, name: NameIn<C>): number | null {
    const value = this.cell(row, name);
    return typeof value === 'number' ? value : null;
  }
  numbers(name: NameIn<C>): number[] {
    return this.all.map(row => this.number(row, name) ?? 0);
  }
  find(name: NameIn<C>, value: Cell): Row | undefined {
    return this.all.find(row => this.cell(row, name) === value);
  }
  sum(name: NameIn<C>): number {
    return this.all.reduce((sum, row) => sum + (this.number(row, name) ?? 0), 0);
  }
}

// For names that other tables have as values.
export const isColumn = <C>(rows: Rows<C>, name: string): name is NameIn<C> => rows.has(name);

const nothing: Table = { columns: [], rows: [] };
export const rowsOf = <N extends keyof Tables>(document: Document | undefined, table: N): Rows<Tables[N]> =>
  new Rows((document?.tables[table] ?? nothing) as Table<Tables[N]>);
