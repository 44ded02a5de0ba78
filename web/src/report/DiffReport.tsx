// Two runs in one column: what changed, and some steps of both.
import type { JSX } from 'solid-js';
import { Diff } from '../pages/diff/Diff';
import { Part } from './Part';

export function DiffReport(): JSX.Element {
  return (
    <Part id="diff" title="What changed" first>
      <Diff />
    </Part>
  );
}
