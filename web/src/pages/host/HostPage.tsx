// What the host did: the input pipeline, a flame graph of its main thread, functions and threads.
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../../api/document';
import { stepColumn, withoutSteps } from '../../api/steps';
import { Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { sliceHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { StackedBars } from '../../charts/StackedBars';
import { chooseStyle, formatNumber, percents } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { HostFlame } from './HostFlame';

const parts: readonly (readonly [string, string, string])[] = [
  ['fetch', 'fetching input', 'idle-input'],
  ['to_device', 'to the device', 'copies'],
  ['dispatch', 'dispatching', 'idle-dispatch'],
  ['compile', 'compiling', 'compile'],
  ['wait', 'waiting', 'idle-sync'],
  ['collect', 'collecting garbage', 'reduction'],
  ['rest', 'everything else', 'idle-gap'],
];
const colorOf = (part: string): string => parts.find(([id]) => id === part)?.[2] ?? 'idle';
const nameOf = (part: string): string => parts.find(([id]) => id === part)?.[1] ?? part;

export function HostPage(): JSX.Element {
  const document = createDocument(() => 'host', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <>
          <div class="halves">
            <Pipeline document={shown()} />
            <Steps document={shown()} />
          </div>
          <HostFlame document={shown()} />
          <Activities document={shown()} />
          <DataTable
            name="host_threads"
            title="Threads"
            table={rowsOf(shown(), 'host_threads').table}
            columns={[
              { name: 'thread' },
              { name: 'host' },
              { name: 'main' },
              { name: 'events' },
              { name: 'busy' },
              { name: 'busy_share', bar: true },
              { name: 'top', label: 'mostly' },
            ]}
            maxRows={14}
          />
        </>
      )}
    </Page>
  );
}

function Pipeline(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'input_pipeline');
  const style = () => chooseStyle('ps', true, rows().numbers('per_step'));
  return (
    <Show when={rows().length > 0}>
      <Section docs="metrics/input_pipeline" title={`The host's step (${style().unit})`}>
        <BarList
          label="parts of the host's step"
          items={rows().all.map(row => ({
            name: nameOf(rows().text(row, 'part')),
            title: rows().text(row, 'about'),
            amount: formatNumber(style(), rows().number(row, 'per_step')),
            share: percents(rows().numbers('share'))(rows().number(row, 'share')),
            value: rows().number(row, 'per_step') ?? 0,
            color: colorOf(rows().text(row, 'part')),
          }))}
        />
      </Section>
    </Show>
  );
}

function Steps(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'input_steps'));
  const mine = createMemo(() => {
    const host = rows().text(rows().all[0], 'host');
    return rows().all.filter(row => rows().text(row, 'host') === host);
  });
  return (
    <Show when={mine().length > 1}>
      <Section title={`Step by step, ${rows().text(mine()[0], 'host')}`}>
        <StackedBars
          label="the host's time of each step by part"
          names={mine().map(row => rows().text(row, 'step'))}
          nameOf="step"
          unit="ps"
          height={170}
          parts={parts.map(([id, name, color]) => ({
            name,
            color,
            values: mine().map(row => rows().number(row, id) ?? 0),
          }))}
        />
      </Section>
    </Show>
  );
}

function Activities(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'host_activities'));
  const inAll = createMemo(() => withoutSteps(rows(), 'self_per_step', 'self'));
  const link = (row: Row): string => sliceHref(rows().text(row, 'name'), 'host');
  return (
    <DataTable
      name="host_activities"
      title="Annotations, Python functions and calls of the runtime"
      table={rows().table}
      columns={[
        { name: 'name', link },
        { name: 'kind' },
        { name: 'count' },
        { ...stepColumn(inAll(), 'self_per_step', 'self', 'self'), bar: true },
        stepColumn(inAll(), 'total_per_step', 'total', 'total'),
        { name: 'mean' },
        { name: 'max' },
        { name: 'threads' },
      ]}
      open={row => follow(link(row))}
      empty="No host event in this part of the capture."
    />
  );
}
