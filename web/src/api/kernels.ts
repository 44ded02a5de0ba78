// What the rows of `gait kernels` say together.
import type { Row, Rows } from './document';
import type { Tables } from './tables';

export interface KernelOperation {
  readonly program: string; // its id
  readonly name: string;
}

// The instructions that run a kernel.
export function operationsOf(rows: Rows<Tables['kernels']>, row: Row): KernelOperation[] {
  const list = (column: 'operations' | 'operation_programs'): readonly unknown[] =>
    (rows.cell(row, column) ?? []) as readonly unknown[];
  const programs = list('operation_programs');
  // "jit_f/fusion.1"
  return list('operations').map((text, i) => ({
    program: String(programs[i]),
    name: String(text).replace(/^.*\//, ''),
  }));
}
