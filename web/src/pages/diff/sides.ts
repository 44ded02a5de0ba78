// Where a row of a comparison is in each of the two runs.
import type { Row, Rows } from '../../api/document';
import { idleCauses } from '../../app/causes';
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

// The filter of the operations in a row: what has no scope goes by its program, what has no program by its name. A
// program that is called otherwise in the other run is "BEFORE → AFTER", and its own scope.
export function operationsBehind(rows: Rows, row: Row, side: Side): string {
  const [scope, programs] = [rows.text(row, 'scope'), rows.text(row, 'program')];
  const program = programs.split(' → ').at(side === 'a' ? 0 : -1)!;
  const category = rows.text(row, 'category');
  const hasScope = scope !== '' && scope !== programs;
  const conditions = [
    hasScope && `scope:"/${scope}/"`,
    program !== '' && `program:"${program}"`,
    !hasScope && program === '' && `name:"${rows.text(row, 'operation')}"`,
    category !== '' && `category="${category}"`,
  ];
  return conditions.filter(Boolean).join(' ');
}

const pagesOfParts: { readonly [part: string]: string } = {
  compute: 'ops',
  'exposed communication': 'collectives',
  'exposed copies': 'transfers',
  idle: 'idle',
  step: 'overview',
};

// The page of a part of the step; `parent` is the part that it is a part of.
export function partHref(side: Side, part: string, parent: string): string {
  const page = pagesOfParts[parent] ?? 'overview';
  if (part === parent || page === 'transfers') return sideHref(side, page);
  if (page !== 'idle') return sideHref(side, 'ops', { 'ops.filter': `category="${part}"` });
  return sideHref(side, 'idle', { cause: idleCauses.find(cause => cause.name === part)?.id ?? '' });
}

const pagesOfQuantities: readonly (readonly [RegExp, string])[] = [
  [/memory/, 'memory'],
  [/compil/, 'compile'],
  [/^to the/, 'transfers'],
  [/collective/, 'collectives'],
  [/launch/, 'kernels'],
  [/flops/, 'roofline'],
  [/device events/, 'ops'],
];

export function quantityHref(side: Side, quantity: string): string {
  const page = pagesOfQuantities.find(([pattern]) => pattern.test(quantity))?.[1];
  return page ? sideHref(side, page) : '';
}
