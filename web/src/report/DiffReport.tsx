// Two runs in one column: what changed, and some steps of both.
import type { JSX } from 'solid-js';
import type { Run } from '../api/runs';
import { Diff } from '../pages/diff/Diff';
import { Part } from './Part';
import { ReportTimeline } from './ReportTimeline';

export function DiffReport(props: { before: Run; after: Run }): JSX.Element {
  return (
    <>
      <Part id="diff" title="What changed" first>
        <Diff />
      </Part>
      <Part id="before" title={`Before: ${props.before.label}`}>
        <ReportTimeline run={() => props.before} />
      </Part>
      <Part id="after" title={`After: ${props.after.label}`}>
        <ReportTimeline run={() => props.after} />
      </Part>
    </>
  );
}
