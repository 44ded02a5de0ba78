// Times a step, and the same times in all: what is shown where a capture has no steps.
import type { NameIn, Rows } from './document';

// True where only the sums are known: the steps' columns are empty in a capture without steps.
export function withoutSteps<C>(rows: Rows<C>, perStep: NameIn<C>, sum: NameIn<C>): boolean {
  const known = (name: NameIn<C>): boolean => rows.all.some(row => rows.number(row, name) !== null);
  return !known(perStep) && known(sum);
}

export interface StepColumn<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

// A column and its head, "wasted a step" or "wasted in all".
export function stepColumn<Name extends string>(
  inAll: boolean,
  perStep: Name,
  sum: Name,
  label = '',
): StepColumn<Name> {
  return { name: inAll ? sum : perStep, label: `${label} ${inAll ? 'in all' : 'a step'}`.trimStart() };
}
