import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../../api/document';
import { programColumn, sharedNames } from '../../api/programs';
import { stepColumn, withoutSteps } from '../../api/steps';
import { Empty, Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { deviceHref, operationHref, viewQuery } from '../../app/view';
import { Scatter } from '../../charts/Scatter';
import { amount, bytes, percent, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { Matrix } from './Matrix';

const isWhole = (document: Document): boolean =>
  withoutSteps(rowsOf(document, 'collectives'), 'exposed_per_step', 'exposed');

export function Collectives(): JSX.Element {
  const document = createDocument(() => 'collectives', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={rowsOf(shown(), 'collectives').length > 0}
          fallback={
            <Empty>
              No communication between devices in this part of the capture.{' '}
              {rowsOf(shown(), 'collective_devices').length > 1
                ? 'It comes'
                : 'A run on one device has none; on several devices it comes'}{' '}
              from <code>shard_map</code>, <code>pmap</code> or shardings of <code>jit</code>.
            </Empty>
          }
        >
          <Waits document={shown()} />
          <CollectiveTable document={shown()} />
          <Bandwidths document={shown()} />
          <DataTable
            name="collective_devices"
            title="By device"
            table={rowsOf(shown(), 'collective_devices').table}
            columns={[
              {
                name: 'device',
                link: row => deviceHref(shown(), rowsOf(shown(), 'collective_devices'), row),
              },
              stepColumn(isWhole(shown()), 'exposed_per_step', 'exposed', 'exposed'),
              stepColumn(isWhole(shown()), 'hidden_per_step', 'hidden', 'hidden'),
              { ...stepColumn(isWhole(shown()), 'wait_per_step', 'wait', 'waited'), bar: true },
              { name: 'exposed_share', label: 'exposed of the time' },
              {
                name: 'starts_last_share',
                label: 'starts last',
                about: 'of the executions in which it met others',
              },
              { name: 'skew_caused', about: 'start skew of the executions in which it started last, sum' },
              { name: 'host' },
            ]}
          />
          <DataTable
            name="alignment"
            title="Clocks"
            about="against the first device, by the ends of collectives"
            table={rowsOf(shown(), 'alignment').table}
            columns={[
              { name: 'device' },
              { name: 'host' },
              { name: 'offset' },
              { name: 'spread' },
              { name: 'samples' },
              { name: 'applied' },
            ]}
            empty="No two devices share a collective, so their clocks cannot be compared."
          />
        </Show>
      )}
    </Page>
  );
}

function Waits(props: { document: Document }): JSX.Element {
  const time = createMemo(() => stepColumn(isWhole(props.document), 'wait_per_step', 'wait'));
  return (
    <Section
      docs="metrics/collective_wait"
      title="Waiting, by collective and device"
      hint={`Exposed time ${time().label} beyond that of the device that waited least, execution by execution: it need not be the same device each time.`}
    >
      <Matrix rows={rowsOf(props.document, 'collective_matrix')} time={time().name} />
    </Section>
  );
}

function CollectiveTable(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'collectives'));
  const link = (row: Row): string =>
    operationHref(rows().text(row, 'program_id'), rows().text(row, 'collective'));
  return (
    <DataTable
      name="collectives"
      title="Collectives"
      table={rows().table}
      columns={[
        { name: 'collective', link },
        ...(sharedNames(rows(), 'collective').size > 0 ? [programColumn(rows())] : []),
        {
          ...stepColumn(isWhole(props.document), 'exposed_per_step', 'exposed', 'exposed'),
          about: 'in which the device computed nothing meanwhile, mean over devices',
          bar: true,
        },
        {
          ...stepColumn(isWhole(props.document), 'wait_per_step', 'wait', 'longest wait'),
          about:
            'largest less smallest exposed time over the devices of an execution, summed: more than the mean of the devices that is exposed',
        },
        {
          name: 'time',
          label: 'fastest',
          about: 'on the fastest device, which waits for none: median over executions',
        },
        { name: 'message_bytes', label: 'size', about: 'bytes of its operands on one device' },
        { name: 'bus_bandwidth', label: 'bus', about: 'what the links carried' },
        { name: 'skew', about: 'latest less earliest start over the devices: median over executions' },
        { name: 'kind' },
        { name: 'group', about: 'devices that execute it together' },
        { name: 'straggler' },
        { name: 'scope', keepEnd: true },
      ]}
      open={row => follow(link(row))}
    />
  );
}

function Bandwidths(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'collectives'));
  const placed = createMemo(() =>
    rows().all.filter(
      row => (rows().number(row, 'message_bytes') ?? 0) > 0 && (rows().number(row, 'bus_bandwidth') ?? 0) > 0,
    ),
  );
  const startsLast = (row: Row): string => {
    const share = rows().number(row, 'starts_last');
    const who = rows().text(row, 'straggler') || 'no one device';
    return share === null ? `started last by ${who}` : `${percent(share)} started last by ${who}`;
  };
  const describe = (index: number): string => {
    const row = placed()[index]!;
    return [
      rows().text(row, 'collective'),
      rows().text(row, 'kind'),
      bytes(rows().number(row, 'message_bytes')),
      amount('bytes/s', rows().number(row, 'bus_bandwidth')),
      `${time(rows().number(row, 'time'))} on the fastest device`,
      startsLast(row),
    ].join(' · ');
  };
  return (
    <Show when={placed().length > 0}>
      <Section docs="metrics/collective_bandwidth" title="Bandwidth over size">
        <Scatter
          points={placed().map(row => ({
            name: rows().text(row, 'collective'),
            x: rows().number(row, 'message_bytes')!,
            y: rows().number(row, 'bus_bandwidth')!,
            weight: rows().number(row, 'exposed') ?? 0,
            color: 'communication',
          }))}
          limits={[]}
          xName="size of the message"
          yName="bus bandwidth"
          xUnit="bytes"
          yUnit="bytes/s"
          label="collectives by message size and bus bandwidth, both logarithmic"
          height={300}
          describe={describe}
          onPick={index =>
            follow(
              operationHref(
                rows().text(placed()[index], 'program_id'),
                rows().text(placed()[index], 'collective'),
              ),
            )
          }
        />
      </Section>
    </Show>
  );
}
