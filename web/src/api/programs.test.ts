import { expect, test } from 'vitest';
import { parseFilter } from '../table/filter';
import { Rows } from './document';
import { programColumn, programFilter, programText, sharedNames } from './programs';

const columns = ['operation', 'program', 'program_id'].map(
  name => ({ name, type: 'any', unit: '' }) as const,
);
interface Operations {
  readonly operation: string;
  readonly program: string;
  readonly program_id: number;
}
const rows = new Rows<Operations>({
  columns,
  rows: [
    ['psum.7', 'jit_f', 14],
    ['psum.7', 'jit_f', 14],
    ['dot.1', 'jit_f', 14],
    ['dot.1', 'jit_f', 18],
    ['copy', '', null],
  ],
});

test('a name of several programs is told apart by their ids', () => {
  expect([...sharedNames(rows, 'operation')]).toEqual(['dot.1']);
  expect(rows.all.map(row => programText(rows, row))).toEqual([
    'jit_f(14)',
    'jit_f(14)',
    'jit_f(14)',
    'jit_f(18)',
    '',
  ]);
});

test('a column of programs has ids only where they are needed', () => {
  const other = new Rows<Operations>({ columns, rows: [...rows.all, ['dot.1', 'jit_g', 20]] });
  expect(other.all.map(programColumn(other).show).slice(3)).toEqual(['jit_f(18)', '', 'jit_g']);
});

test('a filter finds the operations of a program, whatever its id', () => {
  const long = '16654123456789012345';
  const column = { name: 'program_id', type: 'integer', unit: '' } as const;
  const found = (...ids: string[]): unknown[] =>
    [14, 114, 18, long, null].filter(id => parseFilter([column], programFilter(...ids)).test!([id]));
  expect(found('14')).toEqual([14]);
  expect(found(long)).toEqual([long]);
  expect(found('14', long, '14')).toEqual([14, long]);
});
