// Names are of a program: another one often has the same.
import type { NameIn, Row, Rows } from './document';

interface OfProgram {
  readonly program: string;
  readonly program_id: number;
}

// As the command writes it where the name alone does not tell which one is meant: "jit_f(12)".
export const programText = (rows: Rows<OfProgram>, row: Row): string =>
  rows.cell(row, 'program_id') === null
    ? rows.text(row, 'program')
    : `${rows.text(row, 'program')}(${rows.text(row, 'program_id')})`;

// What that column has for more than one program.
export function sharedNames<C extends { readonly program_id: number }>(
  rows: Rows<C>,
  column: NameIn<C>,
): ReadonlySet<string> {
  const programs = new Map<string, string>();
  const shared = new Set<string>();
  for (const row of rows.all) {
    const [name, program] = [rows.text(row, column), rows.text(row, 'program_id')];
    if ((programs.get(name) ?? program) !== program) shared.add(name);
    programs.set(name, program);
  }
  return shared;
}

// For a column of programs: with the id where several have one name.
export function programColumn(rows: Rows<OfProgram>): {
  readonly name: 'program';
  readonly show: (row: Row) => string;
} {
  const shared = sharedNames(rows, 'program');
  const show = (row: Row): string =>
    shared.has(rows.text(row, 'program')) ? programText(rows, row) : rows.text(row, 'program');
  return { name: 'program', show };
}

// For a table of operations: those of these programs. An id that needs 64 bits is text, which no number equals.
export function programFilter(...ids: readonly string[]): string {
  const [first = '', ...more] = new Set(ids);
  const isText = more.length === 0 && !Number.isSafeInteger(Number(first));
  return `program_id${isText ? ':' : '='}${[first, ...more].join('|')}`;
}
