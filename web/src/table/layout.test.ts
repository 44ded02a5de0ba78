import { describe, expect, it } from 'vitest';
import type { Table } from '../api/document';
import { type ColumnSpec, cellShown, gridColumns, layoutColumns } from './layout';

const table: Table = {
  columns: [
    { name: 'name', type: 'string', unit: '' },
    { name: 'time', type: 'integer', unit: 'ps' },
    { name: 'mean', type: 'integer', unit: 'ps' },
    { name: 'wait', type: 'integer', unit: 'ps' },
    { name: 'id', type: 'integer', unit: '' },
  ],
  rows: [
    ['a', 5e9, 4e8, 1200, 12345],
    ['a name that is rather long', 2e9, null, 900, 6],
  ],
};
const shown = layoutColumns(
  table,
  [0, 1, 2, 3, 4].map(index => ({
    index,
    spec: { name: table.columns[index]!.name, ...(index === 4 ? { identifier: true } : {}) },
  })),
  false,
);

describe('layout of columns', () => {
  it('writes columns of one unit in one unit, but for those that would vanish in it', () => {
    expect(shown.map(column => column.head)).toEqual(['name', 'time ms', 'mean ms', 'wait ns', 'id']);
    expect(cellShown(shown[2]!, table.rows[0]!)).toBe('0.40');
  });
  it('writes the parts of a quantity in its unit', () => {
    const rows = [
      ['a', 4.05e9, 40.5e6],
      ['b', 2e9, 3e6],
    ];
    const columns = layoutColumns(
      { ...table, rows },
      [{ name: 'name' }, { name: 'time' }, { name: 'mean', partOf: 'time' }].map((spec, index) => ({
        index,
        spec,
      })),
      false,
    );
    expect(columns.map(column => column.head)).toEqual(['name', 'time ms', 'mean ms']);
    expect(rows.map(row => cellShown(columns[2]!, row))).toEqual(['0.041', '0.003']);
  });
  it('looks at most rows of a column, not at the largest', () => {
    const rows = [48e6, 40e6, 200e6, 50e6, 60e6].map((time, i) => ['k', 3e9 + i, time, 0, i]);
    const columns = layoutColumns(
      { ...table, rows },
      [0, 1, 2].map(index => ({ index, spec: { name: '' } })),
      false,
    );
    expect(columns.map(column => column.head)).toEqual(['name', 'time ms', 'mean µs']);
    expect(rows.map(row => cellShown(columns[2]!, row)).slice(0, 3)).toEqual(['48.0', '40.0', '200.0']);
  });
  it('writes rates in the unit of most of them', () => {
    const rates: Table = {
      columns: [{ name: 'rate', type: 'number', unit: 'bytes/s' }],
      rows: [[54.8e9], [53.6e9], [1.43e12]],
    };
    const [column] = layoutColumns(rates, [{ index: 0, spec: { name: 'rate' } }], false);
    expect(column!.head).toBe('rate GB/s');
    expect(rates.rows.map(row => cellShown(column!, row))).toEqual(['54.8', '53.6', '1\u202f430.0']);
  });
  it('writes rates of all sizes in a unit that fits the largest', () => {
    const rates: Table = {
      columns: [{ name: 'rate', type: 'number', unit: 'bytes/s' }],
      rows: [[9.02e9], [11.3e9], [3.8e6], [170e3], [2.36e12], [391e6]],
    };
    const [column] = layoutColumns(rates, [{ index: 0, spec: { name: 'rate' } }], false);
    expect(column!.head).toBe('rate GB/s');
    const texts = rates.rows.map(row => cellShown(column!, row));
    expect(texts).toEqual(['9.02', '11.30', '<0.01', '<0.01', '2\u202f360.00', '0.39']);
  });
  it('cuts no text out of few', () => {
    const causes: Table = {
      columns: ['at', 'cause', 'did'].map(name => ({ name, type: 'string', unit: '' })),
      rows: [['1', 'Python and dispatch code', 'a'.repeat(40)]],
    };
    const specs: ColumnSpec[] = [{ name: 'at' }, { name: 'cause', whole: true }, { name: 'did' }];
    const columns = layoutColumns(
      causes,
      specs.map((spec, index) => ({ index, spec })),
      false,
    );
    expect(gridColumns(columns)).toMatch(/^\d+ch 27ch minmax\(12ch, 41ch\)$/);
  });
  it('keeps a digit of shares below 100 %', () => {
    const shares: Table = {
      columns: [{ name: 'occupancy', type: 'number', unit: 'percent' }],
      rows: [[100], [100], [100], [12.5]],
    };
    const [column] = layoutColumns(shares, [{ index: 0, spec: { name: 'occupancy' } }], false);
    expect(cellShown(column!, shares.rows[3]!)).toBe('12.5');
  });
  it('shows unknown as a dash and identifiers as they are', () => {
    expect(cellShown(shown[2]!, table.rows[1]!)).toBe('–');
    expect(cellShown(shown[4]!, table.rows[0]!)).toBe('12345');
  });
  it('gives texts room to shrink and numbers none', () => {
    expect(gridColumns(shown)).toMatch(/^minmax\(2\dch, \d+ch\) \d+ch \d+ch \d+ch \d+ch$/);
  });
  it('lays out a hundred thousand rows at once', () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => [`n${i}`, i * 1e6, i, null, i]);
    const began = performance.now();
    const columns = layoutColumns(
      { ...table, rows },
      [0, 1, 2].map(index => ({ index, spec: { name: '' } })),
      false,
    );
    expect(columns[1]!.head).toBe('time ms');
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
