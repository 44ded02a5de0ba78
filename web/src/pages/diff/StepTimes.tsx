// The times of the steps of both runs, over each other.
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, rowsOf } from '../../api/document';
import { Section } from '../../app/Page';
import { Overlaid } from '../../charts/Overlaid';

// Complete steps of the first series.
function stepTimes(document: Document | undefined): number[] {
  const rows = rowsOf(document, 'steps');
  const first = rows.text(rows.all[0], 'series');
  return rows.all
    .filter(row => rows.text(row, 'series') === first && rows.number(row, 'complete') === 1)
    .map(row => rows.number(row, 'step_time'))
    .filter(value => value !== null);
}

export function StepTimes(props: {
  before: Document | undefined;
  after: Document | undefined;
  names: readonly [string, string];
}): JSX.Element {
  const before = createMemo(() => stepTimes(props.before));
  const after = createMemo(() => stepTimes(props.after));
  return (
    <Show when={before().length > 0 && after().length > 0}>
      <Section title="Step times" hint="Complete steps; a line is a median.">
        <Overlaid
          label="step times of both runs"
          before={before()}
          after={after()}
          names={props.names}
          unit="ps"
        />
      </Section>
    </Show>
  );
}
