import { describe, expect, it } from 'vitest';
import { parseDocument, Rows, rowsOf } from './document';

const withRows = (rows: string): string =>
  `{"schema":1,"verb":"ops","source":"x","answer":"a 12345678901234567890 b","warnings":[],"losses":[],"notes":[],
  "tables":{"t":{"columns":[{"name":"id","type":"integer","unit":""},{"name":"time","type":"integer","unit":"ps"}],
  "rows":${rows}}}}`;

describe('parseDocument', () => {
  it('keeps identifiers of 64 bits as text and quantities as numbers', () => {
    const document = parseDocument(withRows('[[16904463117573371051, 99999999999999999],[7, 5]]'));
    expect(document.tables.t!.rows).toEqual([
      ['16904463117573371051', 99999999999999999],
      [7, 5],
    ]);
  });
  it('leaves fractions alone', () => {
    const document = parseDocument(
      withRows('[[0.12345678901234567, 97.46841273104587],[1e21, 12345678901234567.5]]'),
    );
    expect(document.tables.t!.rows[0]).toEqual([0.12345678901234567, 97.46841273104587]);
  });
  it('leaves text alone', () => {
    expect(parseDocument(withRows('[]')).answer).toBe('a 12345678901234567890 b');
  });
});

describe('Rows', () => {
  const rows = new Rows(parseDocument(withRows('[[1, null],[2, 7]]')).tables.t!);
  it('reads unknown as null, never as 0', () => {
    expect(rows.number(rows.all[0], 'time')).toBeNull();
    expect(rows.number(rows.all[0], 'absent')).toBeNull();
    expect(rows.text(rows.all[0], 'time')).toBe('');
  });
  it('finds and sums', () => {
    expect(rows.find('id', 2)).toEqual([2, 7]);
    expect(rows.sum('time')).toBe(7);
  });
});

it('a page that names a column which does not exist does not compile', () => {
  const rows = rowsOf(undefined, 'kernels');
  expect(rows.number(undefined, 'total')).toBe(null);
  // @ts-expect-error: the compiler finds it
  expect(rows.number(undefined, 'totel')).toBe(null);
  // @ts-expect-error: nor is there such a table
  expect(rowsOf(undefined, 'kernals').length).toBe(0);
});
