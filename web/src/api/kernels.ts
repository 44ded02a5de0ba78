// What the rows of `gait kernels` say together.
import type { Row, Rows } from './document';

export interface KernelOperation {
  readonly program: string; // its id
  readonly name: string;
}

// The instructions that run a kernel.
export function operationsOf(rows: Rows, row: Row): KernelOperation[] {
  const list = (column: string): readonly unknown[] => (rows.cell(row, column) ?? []) as readonly unknown[];
  const programs = list('operation_programs');
  // "jit_f/fusion.1"
  return list('operations').map((text, i) => ({
    program: String(programs[i]),
    name: String(text).replace(/^.*\//, ''),
  }));
}
