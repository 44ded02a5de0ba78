// Where a row of a comparison is in each of the two runs.
import type { Row, Rows } from '../../api/document';
import { pageOf } from '../../app/commands';
import { href, type Params, param, route } from '../../app/router';

export type Side = 'a' | 'b';
export type SideHref = (row: Row, side: Side) => string;

export const sideHref = (side: Side, page: string, params: Params = {}): string =>
  href(page, { steps: param('steps'), ...params }, side === 'a' ? route().run : param('with'));

// A number leads to its own run, the name of the row to the run that has more.
export function sideLinks(rows: Rows<{ readonly a: number; readonly b: number }>, to: SideHref) {
  const of = (row: Row, side: Side): number => rows.number(row, side) ?? 0;
  const link = (side: Side) => (row: Row) => (of(row, side) > 0 ? to(row, side) : '');
  return {
    a: link('a'),
    b: link('b'),
    name: (row: Row) => link(of(row, 'b') >= of(row, 'a') ? 'b' : 'a')(row),
  };
}

// The filter of the operations in a row: what has no scope goes by its program, what has no program by its name. The
// scope of what has none is its program.
export function operationsBehind(rows: Rows, row: Row, side: Side): string {
  const [scope, program] = [rows.text(row, 'scope'), rows.text(row, `program_${side}`)];
  const category = rows.text(row, 'category');
  const hasScope = scope !== '' && scope !== rows.text(row, 'program');
  const conditions = [
    hasScope && `scope:"/${scope}/"`,
    program !== '' && `program:"${program}"`,
    !hasScope && program === '' && `name:"${rows.text(row, 'operation')}"`,
    category !== '' && `category="${category}"`,
  ];
  return conditions.filter(Boolean).join(' ');
}

// The page of a row that names its verb, and perhaps the option that narrows the verb to it.
export function verbHref(rows: Rows, row: Row, side: Side): string {
  const page = pageOf(rows.text(row, 'verb'));
  const [option, value] = [rows.text(row, 'option'), rows.text(row, 'value')];
  if (page === undefined) return '';
  if (option === 'category') return sideHref(side, page, { 'ops.filter': `category="${value}"` });
  return sideHref(side, page, option ? { [option]: value } : {});
}
