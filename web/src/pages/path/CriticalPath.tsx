// What a step waited for, link by link, and what it would take if a part cost nothing.
import { createMemo, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, rowsOf } from '../../api/document';
import { deviceText, hostColumn, severalHosts } from '../../api/hosts';
import { causeColor, causeName } from '../../app/causes';
import { Empty, Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, pageHref, sliceHref, timelineHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { StackedBars } from '../../charts/StackedBars';
import { chooseStyle, formatNumber, percents } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { Swatch } from '../../table/Swatch';

// What the device does, and why it waits, in the order they are stacked.
const work: readonly ColumnOf<'path_steps'>[] = ['compute', 'communication', 'copies'];
const waits: readonly ColumnOf<'path_steps'>[] = [
  'input',
  'compile',
  'dispatch',
  'host_sync',
  'launch',
  'kernel_gap',
  'unknown',
];
const isWork = (id: string): boolean => work.some(known => known === id);
const colorOf = (id: string): string => (isWork(id) ? id : causeColor(id));
const nameOf = (id: string): string => (isWork(id) ? id : causeName(id));

// Of a capture without steps the path is that of the whole.
const hasSteps = (document: Document): boolean => {
  const rows = rowsOf(document, 'path_steps');
  return rows.all.some(row => rows.cell(row, 'step') !== null);
};

export function CriticalPath(): JSX.Element {
  const document = createDocument(() => 'path', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={rowsOf(shown(), 'path').length > 0}
          fallback={
            <Empty>
              A critical path needs steps with device work, and this part of the capture has none. See{' '}
              <a href={pageHref('overview')}>Overview</a>.
            </Empty>
          }
        >
          <div class="halves">
            <Classes document={shown()} />
            <Bounds document={shown()} />
          </div>
          <Steps document={shown()} />
          <Events document={shown()} />
        </Show>
      )}
    </Page>
  );
}

const classesHref = (classes: string): string =>
  pageHref('path', { 'path_events.filter': `class=${classes}` });

// What would cost nothing, by the names of the bounds. Better overlap takes nothing away: it makes the largest part of
// the device's time the step, and the overview has these parts.
const freeClasses: { readonly [bound: string]: string } = {
  free_input: 'input',
  free_launch: 'launch',
  free_host: 'launch|dispatch|input|compile|host_sync',
};

function Classes(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'path');
  const style = () => chooseStyle('ps', true, rows().numbers('per_step'));
  return (
    <Section
      docs="metrics/critical_path"
      title={`On the path (${style().unit}${hasSteps(props.document) ? ' a step, share of it' : ', share of the path'})`}
    >
      <BarList
        label="what lies on the critical path"
        items={rows().all.map(row => ({
          name: nameOf(rows().text(row, 'class')),
          amount: formatNumber(style(), rows().number(row, 'per_step')),
          share: percents(rows().numbers('share'))(rows().number(row, 'share')),
          value: rows().number(row, 'per_step') ?? 0,
          color: colorOf(rows().text(row, 'class')),
          href: classesHref(rows().text(row, 'class')),
        }))}
      />
    </Section>
  );
}

function Bounds(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'path_bounds'));
  const link = (row: Row): string | undefined => {
    if ((rows().number(row, 'saved') ?? 0) <= 0) return undefined;
    const bound = rows().text(row, 'bound');
    if (bound === 'perfect_overlap') return pageHref('overview');
    return freeClasses[bound] && classesHref(freeClasses[bound]);
  };
  return (
    <DataTable
      name="path_bounds"
      title="What if"
      about="lower bounds: another path may become the longest"
      table={rows().table}
      columns={[
        { name: 'if', link },
        { name: 'step', label: `${hasSteps(props.document) ? 'step' : 'time'} at least` },
        { name: 'saved', label: 'saves at most' },
        { name: 'speedup', label: 'times faster' },
      ]}
      open={row => follow(link(row))}
    />
  );
}

function Steps(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'path_steps'));
  const mine = createMemo(() => {
    const device = rows().text(rows().all[0], 'device');
    const host = rows().text(rows().all[0], 'host');
    return rows().all.filter(
      row => rows().text(row, 'device') === device && rows().text(row, 'host') === host,
    );
  });
  const open = (index: number): void => {
    const row = mine()[index]!;
    follow(timelineHref(rows().number(row, 'begin') ?? 0, rows().number(row, 'length') ?? 0));
  };
  return (
    <Show when={mine().length > 1}>
      <Section title={`The path of each step, ${deviceText(props.document, rows(), mine()[0])}`}>
        <StackedBars
          label="the critical path of each step by class"
          names={mine().map(row => rows().text(row, 'step'))}
          nameOf="step"
          unit="ps"
          height={180}
          onPick={open}
          parts={[...work, ...waits].map(id => ({
            name: nameOf(id),
            color: colorOf(id),
            values: mine().map(row => rows().number(row, id) ?? 0),
          }))}
        />
      </Section>
    </Show>
  );
}

function Events(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'path_events'));
  const link = (row: Row): string => {
    const name = rows().text(row, 'name');
    const program = rows().text(row, 'program_id');
    if (program !== '') return operationHref(program, name);
    const kind = rows().text(row, 'class');
    if (rows().number(row, 'recorded') === 0 && !isWork(kind)) return pageHref('idle', { cause: kind });
    const on = isWork(kind) ? 'device' : 'host';
    return sliceHref(name, on, severalHosts(props.document) ? rows().text(row, 'host') : '');
  };
  return (
    <DataTable
      name="path_events"
      title="What lies on it"
      table={rows().table}
      columns={[
        { name: 'name', link, mark: row => <Swatch color={colorOf(rows().text(row, 'class'))} /> },
        ...hostColumn(props.document),
        { name: 'per_step', label: hasSteps(props.document) ? 'a step' : 'time' },
        { name: 'share', label: hasSteps(props.document) ? 'of the step' : 'of the path', bar: true },
        { name: 'count' },
        { name: 'class', whole: true, show: row => nameOf(rows().text(row, 'class')) },
        { name: 'scope', keepEnd: true },
      ]}
      open={row => follow(link(row))}
    />
  );
}
