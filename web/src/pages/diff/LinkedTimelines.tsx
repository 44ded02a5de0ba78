// Both timelines below each other at the same scale, the first steps one above the other. Moving or zooming one
// moves the other.
import { createEffect, createMemo, createSignal, type JSX, on } from 'solid-js';
import { type Document, rowsOf } from '../../api/document';
import type { Run } from '../../api/runs';
import { Section } from '../../app/Page';
import { here } from '../../app/places';
import { createRunKey } from '../../app/session';
import { PageTimeline } from '../../timeline/PageTimeline';
import type { View } from '../../timeline/scales/view';
import { createTimelineState, type TimelineState } from '../../timeline/state';

const steps = 3;

export function LinkedTimelines(props: {
  before: Run;
  after: Run;
  stepsBefore: Document | undefined;
  stepsAfter: Document | undefined;
}): JSX.Element {
  const [linked, setLinked] = createSignal(true);
  const a = createTimelineState(
    createRunKey(() => props.before),
    'a.',
  );
  const b = createTimelineState(
    createRunKey(() => props.after),
    'b.',
  );
  // Where the first step begins. A report holds some steps only: there it is where they begin.
  const start = (state: TimelineState, document: Document | undefined): number =>
    here().choose ? (firstStep(document)?.begin ?? state.span()[0]) : state.span()[0];
  const shift = (): number => start(b, props.stepsAfter) - start(a, props.stepsBefore);
  const moved = (view: View, by: number): View => ({ from: view.from + by, to: view.to + by });
  const together = (own: TimelineState, other: TimelineState, sign: number): TimelineState => ({
    ...own,
    setView: view => {
      own.setView(view);
      if (linked()) other.setView(moved(view, sign * shift()));
    },
  });
  const first = together(a, b, 1);
  const second = together(b, a, -1);
  // At first some steps of the slower run, and as much of the other one.
  const ready = createMemo(() => Boolean(a.tree() && b.tree() && props.stepsBefore && props.stepsAfter));
  createEffect(
    on(ready, isReady => {
      if (!isReady) return;
      const from = start(a, props.stepsBefore);
      const step = Math.max(
        firstStep(props.stepsBefore)?.length ?? 0,
        firstStep(props.stepsAfter)?.length ?? 0,
      );
      const length = step > 0 ? steps * step : a.span()[1] - a.span()[0];
      first.setView({ from: from - length * 0.02, to: from + length * 1.02 });
    }),
  );
  return (
    <Section
      title="Timelines"
      hint="The same scale, the first steps one above the other. Drag to move, Ctrl and the wheel to zoom."
    >
      <label class="muted">
        <input
          type="checkbox"
          checked={linked()}
          onChange={event => setLinked(event.currentTarget.checked)}
        />{' '}
        move both
      </label>
      <h3 class="muted">before: {props.before.label}</h3>
      <PageTimeline state={first} />
      <h3 class="muted">after: {props.after.label}</h3>
      <PageTimeline state={second} />
    </Section>
  );
}

function firstStep(document: Document | undefined): { begin: number; length: number } | undefined {
  const rows = rowsOf(document, 'step_devices');
  for (const row of rows.all) {
    const begin = rows.number(row, 'begin');
    const length = rows.number(row, 'step_time');
    if (begin !== null && length !== null && length > 0) return { begin, length };
  }
  return undefined;
}
