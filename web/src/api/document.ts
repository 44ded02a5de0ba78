// What the server answers for a table route: the document that `gait VERB RUN --json` prints (docs/json.md).
import type { Unit } from '../format/numbers';

export type Cell = string | number | null | readonly unknown[] | { readonly [key: string]: unknown };
export type Row = readonly Cell[];

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'any';
  readonly unit: Unit;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface Loss {
  readonly kind: string;
  readonly place: string;
  readonly reason: string;
  readonly count: number;
}

export interface Document {
  readonly schema: number;
  readonly verb: string;
  readonly source: string | readonly string[];
  readonly answer: string;
  readonly warnings: readonly string[];
  readonly losses: readonly Loss[];
  readonly notes: readonly string[];
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

// Reads cells of a table by column name. Absent columns read as unknown.
export class Rows {
  private readonly index = new Map<string, number>();
  constructor(readonly table: Table) {
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
  cell(row: Row | undefined, name: string): Cell {
    const i = this.index.get(name);
    return i === undefined || !row ? null : (row[i] ?? null);
  }
  text(row: Row | undefined, name: string): string {
    const value = this.cell(row, name);
    return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  number(row: Row | undefined, name: string): number | null {
    const value = this.cell(row, name);
    return typeof value === 'number' ? value : null;
  }
  numbers(name: string): number[] {
    return this.all.map(row => this.number(row, name) ?? 0);
  }
  find(name: string, value: Cell): Row | undefined {
    return this.all.find(row => this.cell(row, name) === value);
  }
  sum(name: string): number {
    return this.all.reduce((sum, row) => sum + (this.number(row, name) ?? 0), 0);
  }
}

const nothing: Table = { columns: [], rows: [] };
export const rowsOf = (document: Document | undefined, table: string): Rows =>
  new Rows(document?.tables[table] ?? nothing);
