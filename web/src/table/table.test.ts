import { describe, expect, it } from 'vitest';
import type { Table } from '../api/document';
import { toCsv, toTsv } from './export';
import { parseFilter, filterRows as passing, type Shown, withBelow } from './filter';
import { parseSort, sortRows } from './order';

const flat: Table = {
  columns: [
    { name: 'name', type: 'string', unit: '' },
    { name: 'time', type: 'integer', unit: 'ps' },
    { name: 'streams', type: 'any', unit: '' },
  ],
  rows: [
    ['dot.10', 5_000_000, [1, 2]],
    ['dot.9', null, []],
    ['Fusion "a", b', 20_000_000, [3]],
  ],
};

const tree: Table = {
  columns: [
    { name: 'name', type: 'string', unit: '' },
    { name: 'depth', type: 'integer', unit: '' },
    { name: 'time', type: 'integer', unit: 'ps' },
  ],
  rows: [
    ['a', 0, 1],
    ['a1', 1, 2],
    ['a2', 1, 3],
    ['b', 0, 9],
    ['b1', 1, 4],
  ],
};

const filterRows = (table: Table, query: string, depth?: number, shown?: Shown): number[] =>
  passing(table, parseFilter(table.columns, query, shown), depth);

describe('filter', () => {
  it('wants every word, whatever its case', () => {
    expect(filterRows(flat, 'fusion b')).toEqual([2]);
    expect(filterRows(flat, '')).toEqual([0, 1, 2]);
    expect(filterRows(flat, '"a"')).toEqual([2]);
  });
  it('compares columns, with units; unknown passes no comparison', () => {
    expect(filterRows(flat, 'time>=5us')).toEqual([0, 2]);
    expect(filterRows(flat, 'time<10us')).toEqual([0]);
    expect(filterRows(flat, 'name:DOT')).toEqual([0, 1]);
    expect(filterRows(flat, 'name=dot.9')).toEqual([1]);
    expect(filterRows(flat, 'name="dot.9|dot.10|dot.1"')).toEqual([0, 1]);
  });
  it('takes a path that ends with / for itself and what is below it', () => {
    const scopes: Table = {
      columns: [{ name: 'scope', type: 'string', unit: '' }],
      rows: [['f/layer_1'], ['f/layer_1/mlp'], ['f/layer_10'], ['g/f/layer_1'], [null]],
    };
    expect(filterRows(scopes, withBelow('scope', 'f/layer_1'))).toEqual([0, 1]);
    expect(filterRows(scopes, 'scope=f/layer_1/|g/')).toEqual([0, 1, 3]);
    expect(filterRows(scopes, 'scope=f/layer_1')).toEqual([0]);
    expect(filterRows(scopes, 'scope:/layer_1/')).toEqual([0, 1, 3]);
    expect(filterRows(scopes, 'scope:layer_1')).toEqual([0, 1, 2, 3]);
  });
  it('wants an empty cell where nothing stands behind =', () => {
    expect(filterRows(flat, 'time=')).toEqual([1]);
    expect(filterRows(flat, 'name=')).toEqual([]);
    expect(filterRows(flat, 'name= time=')).toEqual([]);
  });
  it('finds a row by what it shows instead of its values', () => {
    expect(
      filterRows(flat, 'nine', -1, { texts: row => (row[0] === 'dot.9' ? ['Number Nine'] : []) }),
    ).toEqual([1]);
  });
  it('looks for the words of an unknown column as text', () => {
    expect(filterRows(flat, 'nosuch>3')).toEqual([]);
  });
  it('knows the units of a column, and says which it does not know', () => {
    const rates: Table = {
      columns: [
        { name: 'bytes_per_second', type: 'number', unit: 'bytes/s' },
        { name: 'flops_per_second', type: 'number', unit: 'flop/s' },
        { name: 'share', type: 'number', unit: 'percent' },
        { name: 'bytes', type: 'integer', unit: 'bytes' },
      ],
      rows: [
        [2e12, 50e12, 3, 3e6],
        [5e11, 200e12, 30, 2 ** 31],
      ],
    };
    expect(filterRows(rates, 'bytes_per_second>1TB/s')).toEqual([0]);
    expect(filterRows(rates, 'flops_per_second>100TFLOP/s')).toEqual([1]);
    expect(filterRows(rates, 'share>5%')).toEqual([1]);
    expect(filterRows(rates, 'bytes=3MB')).toEqual([0]);
    expect(filterRows(rates, 'bytes=2GiB')).toEqual([1]);
    expect(filterRows(rates, 'bytes>1e7')).toEqual([1]);
    for (const [query, says] of [
      ['bytes>3ms', '“ms” is no unit of bytes, which has B, KiB, MiB, GiB, TiB.'],
      [
        'bytes_per_second>1XB/s',
        '“XB/s” is no unit of bytes_per_second, which has B/s, kB/s, MB/s, GB/s, TB/s.',
      ],
      ['share>much', '“much” is no number.'],
    ] as const) {
      expect(filterRows(rates, query)).toEqual([]);
      expect(parseFilter(rates.columns, query).problem).toBe(says);
    }
    expect(parseFilter(flat.columns, 'name=5x time>3').problem).toBeUndefined();
  });
  it('knows a column by the words of its head', () => {
    const shown = {
      labels: [
        { name: 'time', label: 'in flight' },
        { name: 'name', label: 'operation' },
      ],
    };
    expect(filterRows(flat, '"in flight">=5us', -1, shown)).toEqual([0, 2]);
    expect(filterRows(flat, 'in_flight<10us', -1, shown)).toEqual([0]);
    expect(filterRows(flat, 'operation:DOT', -1, shown)).toEqual([0, 1]);
  });
  it('keeps the ancestors of a row in a tree', () => {
    expect(filterRows(tree, 'a2', 1)).toEqual([0, 2]);
    expect(filterRows(tree, 'b', 1)).toEqual([3, 4]);
  });
});

describe('sort', () => {
  const all = [0, 1, 2];
  it('puts unknown last in both directions', () => {
    expect(sortRows(flat, all, parseSort('time'))).toEqual([0, 2, 1]);
    expect(sortRows(flat, all, parseSort('-time'))).toEqual([2, 0, 1]);
  });
  it('reads numbers in names', () => {
    expect(sortRows(flat, all, parseSort('name'))).toEqual([1, 0, 2]);
  });
  it('sorts siblings of a tree only among themselves', () => {
    expect(sortRows(tree, [0, 1, 2, 3, 4], parseSort('-time'), 1)).toEqual([3, 4, 0, 2, 1]);
  });
  it('keeps the order for a column that is not there', () => {
    expect(sortRows(flat, all, parseSort('nosuch'))).toEqual(all);
  });
});

describe('export', () => {
  it('quotes what CSV needs quoted and leaves unknown empty', () => {
    expect(toCsv(flat.columns, flat.rows)).toBe(
      'name,time [ps],streams\ndot.10,5000000,"1, 2"\ndot.9,,\n"Fusion ""a"", b",20000000,3\n',
    );
  });
  it('has no text that a spreadsheet would run', () => {
    const columns = flat.columns.slice(0, 2);
    const rows = [
      ['=HYPERLINK("x")', -5],
      ['@sum', 5],
      ['-x+y', 0],
      ['+1', null],
    ];
    expect(toCsv(columns, rows)).toBe(
      'name,time [ps]\n"\'=HYPERLINK(""x"")",-5\n\'@sum,5\n\'-x+y,0\n\'+1,\n',
    );
    expect(toTsv(columns, rows)).toBe("name\ttime [ps]\n'=HYPERLINK(\"x\")\t-5\n'@sum\t5\n'-x+y\t0\n'+1\t\n");
  });
  it('has no such text in wide characters or in a heading', () => {
    const rows = ['＝1', '＋1', '－1', '＠sum', '\t＝1', 'a＝b'].map(text => [text]);
    const columns = [{ name: '=1+1', type: 'string', unit: '' }] as Table['columns'];
    expect(toCsv(columns, rows)).toBe("'=1+1\n'＝1\n'＋1\n'－1\n'＠sum\n\"'\t＝1\"\na＝b\n");
  });
  it('quotes what a spreadsheet may take for a border of cells', () => {
    const columns = [{ name: 'name', type: 'string', unit: '' }] as Table['columns'];
    expect(toCsv(columns, [['a;=1+1'], ['a\t=1']])).toBe('name\n"a;=1+1"\n"a\t=1"\n');
  });
  it('keeps a row of TSV on one line', () => {
    expect(toTsv(flat.columns.slice(0, 1), [['a\tb\nc']])).toBe('name\na b c\n');
  });
});
