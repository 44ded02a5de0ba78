// Why the device did nothing, and what the host did meanwhile.
import { createMemo, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, rowsOf } from '../../api/document';
import { deviceText, hostColumn } from '../../api/hosts';
import { stepColumn, withoutSteps } from '../../api/steps';
import { causeColor, causeName, idleCauses } from '../../app/causes';
import { Empty, Page, Section } from '../../app/Page';
import { follow, param, setParams } from '../../app/router';
import { createDocument } from '../../app/session';
import { deviceSliceHref, pageHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { StackedBars } from '../../charts/StackedBars';
import { chooseStyle, count, formatNumber, percents } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { parseFilter } from '../../table/filter';
import { lengthFilter } from '../../table/lengths';
import { Swatch } from '../../table/Swatch';
import { gapsListed } from './listed';

export function Idle(): JSX.Element {
  const document = createDocument(
    () => 'idle',
    () => ({ ...viewQuery(), cause: param('cause') }),
  );
  const causes = () => rowsOf(document.document(), 'idle');
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={causes().length > 0}
          fallback={
            <Empty>
              No idle time to explain: the device was busy throughout, or the capture has no device work. See{' '}
              <a href={pageHref('overview')}>Overview</a>.
            </Empty>
          }
        >
          <div class="halves">
            <Causes document={shown()} />
            <Lengths document={shown()} />
          </div>
          <Steps document={shown()} />
          <Gaps document={shown()} />
          <DataTable
            name="launches"
            title="Launches"
            about="from the host's call to the start on the device"
            table={rowsOf(shown(), 'launches').table}
            columns={[
              { name: 'device' },
              ...hostColumn(shown()),
              { name: 'kind' },
              { name: 'launches' },
              { name: 'call_mean' },
              { name: 'call_p99' },
              { name: 'delay_mean' },
              { name: 'delay_p50' },
              { name: 'delay_p99' },
            ]}
            empty="No launch call is linked to device work in this capture."
          />
          <DataTable
            name="queue"
            title="Launch queue"
            about="how many launches wait at a time"
            table={rowsOf(shown(), 'queue').table}
            columns={[
              { name: 'device' },
              ...hostColumn(shown()),
              { name: 'depth_mean' },
              { name: 'depth_p50' },
              { name: 'depth_p99' },
              { name: 'depth_max' },
              { name: 'empty' },
              { name: 'empty_time' },
            ]}
            empty="No launch call is linked to device work in this capture."
          />
        </Show>
      )}
    </Page>
  );
}

function Causes(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'idle');
  const time = createMemo(() => stepColumn(withoutSteps(rows(), 'per_step', 'idle'), 'per_step', 'idle'));
  const style = () => chooseStyle('ps', true, rows().numbers(time().name));
  return (
    <Section
      docs="metrics/idle_causes"
      title={`Causes (${style().unit} ${time().label}, share of the time)`}
      hint="A click lists only the gaps that hold time of a cause."
    >
      <BarList
        label="causes of idle time"
        items={rows().all.map(row => ({
          name: rows().text(row, 'why'),
          amount: formatNumber(style(), rows().number(row, time().name)),
          share: percents(rows().numbers('of_time'))(rows().number(row, 'of_time')),
          value: rows().number(row, time().name) ?? 0,
          color: causeColor(rows().text(row, 'cause')),
          href: pageHref('idle', { cause: rows().text(row, 'cause') }),
        }))}
      />
      <Show when={param('cause')}>
        <button type="button" onClick={() => setParams({ cause: '' }, 'push')}>
          all causes
        </button>
      </Show>
    </Section>
  );
}

function Lengths(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'gap_lengths');
  const gaps = createMemo(() => rowsOf(props.document, 'idle_gaps').table);
  // Short gaps are counted, and in the table only where they are among the longest. The count is of all causes, and the
  // table here may be of one.
  const listed = (row: Row): string | undefined => {
    const filter = lengthFilter(rows().number(row, 'from') ?? 0, rows().number(row, 'below'), 'duration');
    const isShort = !filter.includes('>=');
    const any = isShort
      ? gaps().rows.some(parseFilter(gaps().columns, filter).test!)
      : (rows().number(row, 'gaps') ?? 0) > 0;
    return any ? pageHref('idle', { 'idle_gaps.filter': filter }) : undefined;
  };
  return (
    <Section title="Gaps by length (share of the idle time)">
      <BarList
        label="gaps by length"
        items={rows().all.map(row => ({
          name: rows().text(row, 'length'),
          amount: `${count(rows().number(row, 'gaps'))} gaps`,
          share: percents(rows().numbers('of_idle'))(rows().number(row, 'of_idle')),
          value: rows().number(row, 'idle') ?? 0,
          color: 'idle',
          href: listed(row),
        }))}
      />
    </Section>
  );
}

function Steps(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'idle_steps'));
  const mine = createMemo(() => {
    const device = rows().text(rows().all[0], 'device');
    const host = rows().text(rows().all[0], 'host');
    return rows().all.filter(
      row => rows().text(row, 'device') === device && rows().text(row, 'host') === host,
    );
  });
  return (
    <Show when={mine().length > 1}>
      <Section title={`Idle time of each step, ${deviceText(props.document, rows(), mine()[0])}`}>
        <StackedBars
          label="idle time of each step by cause"
          names={mine().map(row => rows().text(row, 'step'))}
          nameOf="step"
          unit="ps"
          height={180}
          parts={idleCauses.map(({ id, name, color }) => ({
            name,
            color,
            values: mine().map(row => rows().number(row, id) ?? 0),
          }))}
        />
      </Section>
    </Show>
  );
}

// The column of a gap's part of that cause.
const partColumn = (cause: string) => `by_${cause}` as Extract<ColumnOf<'idle_gaps'>, `by_${string}`>;

function Gaps(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'idle_gaps'));
  const place = (row: Row): string =>
    deviceSliceHref(
      'idle',
      rows(),
      row,
      rows().number(row, 'begin'),
      rows().number(row, 'duration'),
      causeName(param('cause') || rows().text(row, 'cause')),
    );
  // A gap of several causes says how much of it the largest has.
  const mainCause = (row: Row): string => {
    const cause = rows().text(row, 'cause');
    const time = rows().number(row, partColumn(cause)) ?? 0;
    const share = (100 * time) / (rows().number(row, 'duration') || 1);
    return causeName(cause) + (share > 0 && share < 99.5 ? `, ${Math.round(share)} %` : '');
  };
  const listed = createMemo(() => gapsListed(props.document, param('cause'), param('idle_gaps.filter')));
  return (
    <DataTable
      name="idle_gaps"
      title={param('cause') ? `Gaps with ${causeName(param('cause'))}` : 'Gaps'}
      table={rows().table}
      {...listed()}
      columns={[
        { name: 'begin', label: 'at', link: place },
        ...(param('cause')
          ? [{ name: partColumn(param('cause')), label: 'of this cause', bar: true, link: place }]
          : []),
        { name: 'duration', label: 'idle', bar: !param('cause') },
        {
          name: 'cause',
          label: param('cause') ? 'mostly' : 'cause',
          whole: true,
          show: mainCause,
          mark: row => <Swatch color={causeColor(rows().text(row, 'cause'))} />,
        },
        { name: 'host_did', label: 'the host did' },
        { name: 'ended_by' },
        { name: 'step' },
        { name: 'device' },
        ...hostColumn(props.document),
        { name: 'python' },
      ]}
      open={row => follow(place(row))}
      empty={
        param('cause')
          ? 'No gap that is listed holds time of this cause: of 10 µs or more, or among the 20 longest of a device.'
          : 'No gap.'
      }
    />
  );
}
