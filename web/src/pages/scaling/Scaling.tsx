// How well a program scales over runs on different numbers of devices, and where the rest goes.
import { createMemo, createResource, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, rowsOf } from '../../api/document';
import { getSummary, type Run } from '../../api/runs';
import { Empty, Page, Section } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { createDocument, currentRun, readableRuns, runs } from '../../app/session';
import { Lines } from '../../charts/Lines';
import { StackedBars } from '../../charts/StackedBars';
import { plural } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

const parts: readonly (readonly [ColumnOf<'scaling_loss'>, string, string])[] = [
  ['compute', 'compute', 'compute'],
  ['communication', 'communication', 'communication'],
  ['waiting_for_devices', 'waiting for devices', 'idle-sync'],
  ['copies', 'copies', 'copies'],
  ['idle', 'idle', 'idle'],
];

export function Scaling(): JSX.Element {
  const chosen = createMemo(() => param('with').split(',').filter(Boolean));
  const document = createDocument(
    () => 'scale',
    () => (chosen().length > 0 ? { with: chosen(), weak: param('weak'), steps: param('steps') } : undefined),
  );
  return (
    <Show
      when={chosen().length > 0}
      fallback={
        <div class="page">
          <div>
            <h1 class="answer">Which runs are the same program on other numbers of devices?</h1>
            <p class="notes">
              {currentRun()?.label} and what is chosen give speed-up, efficiency and where the rest goes.
            </p>
          </div>
          <Choose chosen={chosen()} />
        </div>
      }
    >
      <Page of={document}>
        {shown => (
          <>
            <Choose chosen={chosen()} />
            <Show when={comparable(shown())}>
              <SpeedUp document={shown()} />
              <Loss document={shown()} />
            </Show>
            <Tables document={shown()} />
          </>
        )}
      </Page>
    </Show>
  );
}

// Steps have no speed-up over whole captures.
function comparable(document: Document): boolean {
  const rows = rowsOf(document, 'scaling');
  return rows.number(rows.all[0], 'speedup') !== null;
}

function Choose(props: { chosen: readonly string[] }): JSX.Element {
  const others = () => readableRuns().filter(run => run.id !== currentRun()?.id);
  const toggle = (id: string): void => {
    const next = props.chosen.includes(id)
      ? props.chosen.filter(other => other !== id)
      : [...props.chosen, id];
    setParams({ with: next.join(',') }, 'push');
  };
  return (
    <Show
      when={others().length > 0}
      fallback={<Empty>There is no other run below {runs()?.directory}.</Empty>}
    >
      <details open={props.chosen.length === 0}>
        <summary>Runs and kind of scaling</summary>
        <ul class="plain checks">
          <For each={others()}>
            {run => (
              <li>
                <label>
                  <input
                    type="checkbox"
                    checked={props.chosen.includes(run.id)}
                    onChange={() => toggle(run.id)}
                  />
                  <span>{run.label}</span>
                  <DevicesOf run={run} />
                </label>
              </li>
            )}
          </For>
        </ul>
        <p class="weak">
          <label>
            <input
              type="checkbox"
              checked={param('weak') === '1'}
              onChange={event => setParams({ weak: event.currentTarget.checked ? '1' : '' }, 'push')}
            />
            the work grows with the devices (weak scaling)
          </label>
        </p>
      </details>
    </Show>
  );
}

// The list tells the devices of a capture on the CPU, or a compressed one, only when it was read.
function DevicesOf(props: { run: Run }): JSX.Element {
  const listed = (): string => {
    const [, number, kind] = /^(\d+) (.+)/.exec(props.run.devices ?? '') ?? [];
    return number ? `${number} × ${kind}` : '';
  };
  const [summary] = createResource(
    () => (listed() === '' ? props.run : undefined),
    run => getSummary(run).catch(() => undefined),
  );
  const read = (): string => (summary()?.devices ? plural(summary()!.devices!, 'device') : '');
  return <span class="muted">{listed() || read()}</span>;
}

function SpeedUp(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'scaling'));
  const devices = () => rows().numbers('devices');
  return (
    <Section
      title="Speed-up"
      hint="Over the number of devices, against the smallest run, and what it would be if nothing were lost."
    >
      <Lines
        label="speed-up over the number of devices"
        at={devices()}
        atUnit=""
        atName="devices"
        lines={[
          { name: 'ideal', color: 'idle', values: rows().numbers('ideal_speedup') },
          { name: 'speed-up', color: 'compute', values: rows().numbers('speedup') },
        ]}
        unit=""
        joined
      />
    </Section>
  );
}

function Loss(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'scaling_loss'));
  return (
    <Section
      docs="metrics/scaling"
      title="Where the loss is"
      hint="By number of devices: what each part of a step takes beyond its part of the ideal; below 0 what takes less. Both together are the loss."
    >
      <StackedBars
        label="loss of a step by part, for each number of devices"
        names={rows().all.map(row => rows().text(row, 'devices'))}
        nameOf="devices"
        parts={parts.map(([column, name, color]) => ({
          name,
          color,
          values: rows().numbers(column),
        }))}
        unit="ps"
      />
    </Section>
  );
}

function Tables(props: { document: Document }): JSX.Element {
  return (
    <>
      <DataTable
        name="scaling"
        title="Runs"
        table={rowsOf(props.document, 'scaling').table}
        columns={[
          { name: 'devices' },
          { name: 'efficiency', bar: true },
          { name: 'step' },
          { name: 'ideal' },
          { name: 'speedup', label: 'speed-up' },
          { name: 'loss' },
          { name: 'run', keepEnd: true },
        ]}
      />
      <DataTable
        name="scaling_loss"
        title="Loss"
        about="the parts sum to it"
        table={rowsOf(props.document, 'scaling_loss').table}
        columns={[
          { name: 'devices' },
          ...parts.map(([column, name]) => ({ name: column, label: name })),
          { name: 'loss' },
        ]}
      />
      <DataTable
        name="scaling_collectives"
        title="Collectives"
        table={rowsOf(props.document, 'scaling_collectives').table}
        columns={[
          { name: 'devices' },
          { name: 'kind' },
          { name: 'exposed' },
          { name: 'wait', label: 'waiting' },
          { name: 'longest_wait', label: 'longest wait' },
        ]}
        empty="No collective ran in these captures."
      />
    </>
  );
}
