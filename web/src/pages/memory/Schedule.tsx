// What a program holds while it goes through its schedule.
import { createMemo, type JSX, Show } from 'solid-js';
import type { ColumnOf, Document } from '../../api/document';
import { ofHost, rowsOfHost } from '../../api/hosts';
import { Section } from '../../app/Page';
import { follow } from '../../app/router';
import { operationHref } from '../../app/view';
import { Lines } from '../../charts/Lines';

export function Schedule(props: { document: Document; host: string }): JSX.Element {
  const rows = createMemo(() => rowsOfHost(props.document, 'memory_schedule', props.host));
  const at = (index: number, column: ColumnOf<'memory_schedule'>): string =>
    rows().text(rows().all[index], column);
  return (
    <Show when={rows().length > 1}>
      <Section
        title={`${at(0, 'program')}${ofHost(props.document, rows())} over its schedule`}
        hint="Bytes that its buffer assignment keeps live at each instruction. A click opens the instruction."
      >
        <Lines
          label="live bytes over the schedule"
          at={rows().all.map(row => rows().number(row, 'position') ?? 0)}
          atUnit=""
          atName="instruction"
          describe={index => `${at(index, 'position')}: ${at(index, 'instruction')}`}
          lines={[
            {
              name: 'live',
              color: 'elementwise',
              values: rows().all.map(row => rows().number(row, 'bytes')),
            },
          ]}
          unit="bytes"
          height={200}
          onPick={index => follow(operationHref(at(index, 'program_id'), at(index, 'instruction')))}
        />
      </Section>
    </Show>
  );
}
