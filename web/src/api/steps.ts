// Times a step, and the same times in all: what is shown where a capture has no steps.
import type { Rows } from './document';

// True where only the sums are known: the steps' columns are empty in a capture without steps.
export function withoutSteps(rows: Rows, perStep: string, sum: string): boolean {
  const known = (name: string): boolean => rows.all.some(row => rows.number(row, name) !== null);
  return !known(perStep) && known(sum);
}

export interface StepColumn {
  readonly name: string;
  readonly label: string;
}

// A column and its head, "wasted a step" or "wasted in all".
export function stepColumn(inAll: boolean, perStep: string, sum: string, label = ''): StepColumn {
  return { name: inAll ? sum : perStep, label: `${label} ${inAll ? 'in all' : 'a step'}`.trimStart() };
}
