// What the host did: the input pipeline, a flame graph of its main thread, functions and threads.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { stepColumn, withoutSteps } from '../../api/steps';
import { Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { pageHref, sliceHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { StackedBars } from '../../charts/StackedBars';
import { chooseStyle, formatNumber, percents } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { createFlame, HostFlame } from './HostFlame';

const parts: readonly (readonly [ColumnOf<'input_steps'>, string, string])[] = [
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

const hostsOf = (rows: Rows<{ readonly host: string }>): string[] => [
  ...new Set(rows.all.map(row => rows.text(row, 'host'))),
];
const hostHref = (rows: Rows<{ readonly host: string }>) => (row: Row) =>
  pageHref('host', { host: rows.text(row, 'host') });
const mostHosts = 8; // whose steps are drawn

export function HostPage(): JSX.Element {
  const document = createDocument(() => 'host', viewQuery);
  const flame = createFlame(document.document);
  return (
    <Page of={document}>
      {shown => {
        const hosts = createMemo(() => hostsOf(rowsOf(shown(), 'host_threads')));
        return (
          <>
            <For each={hosts().slice(0, mostHosts)}>
              {host => (
                <div class="halves">
                  <Pipeline document={shown()} host={host} several={hosts().length > 1} />
                  <Steps document={shown()} host={host} />
                </div>
              )}
            </For>
            <Show when={hosts().length > mostHosts}>
              <p class="muted">
                Of the {hosts().length} hosts, {mostHosts} are drawn. The table of threads has all; a click on
                a host shows that one.
              </p>
            </Show>
            {/* What is below waits for the flame graph, which would push it down. */}
            <Show when={flame()}>
              {known => (
                <>
                  <HostFlame flame={known()} several={hosts().length > 1} />
                  <Activities document={shown()} several={hosts().length > 1} />
                  <Threads document={shown()} several={hosts().length > 1} />
                </>
              )}
            </Show>
          </>
        );
      }}
    </Page>
  );
}

interface OfHost {
  readonly document: Document;
  readonly host: string;
}

function Pipeline(props: OfHost & { several: boolean }): JSX.Element {
  const rows = () => rowsOf(props.document, 'input_pipeline');
  const mine = () => rows().all.filter(row => rows().text(row, 'host') === props.host);
  const style = () => chooseStyle('ps', true, rows().numbers('per_step'));
  // The activities that a part is made of.
  const link = (row: Row): string | undefined => {
    if (!rows().number(row, 'per_step')) return undefined;
    const part = rows().text(row, 'part');
    const only = [`part=${part}`, part === 'rest' && 'main_self>0', props.several && `host="${props.host}"`];
    return pageHref('host', { 'host_activities.filter': only.filter(Boolean).join(' ') });
  };
  return (
    <Show when={mine().length > 0}>
      <Section
        docs="metrics/input_pipeline"
        title={`${props.several ? `A step of ${props.host}` : "The host's step"} (${style().unit})`}
      >
        <BarList
          label={`parts of the step of ${props.host}`}
          items={mine().map(row => ({
            name: nameOf(rows().text(row, 'part')),
            title: rows().text(row, 'about'),
            amount: formatNumber(style(), rows().number(row, 'per_step')),
            share: percents(rows().numbers('share'))(rows().number(row, 'share')),
            value: rows().number(row, 'per_step') ?? 0,
            color: colorOf(rows().text(row, 'part')),
            href: link(row),
          }))}
        />
      </Section>
    </Show>
  );
}

function Steps(props: OfHost): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'input_steps'));
  const mine = createMemo(() => rows().all.filter(row => rows().text(row, 'host') === props.host));
  return (
    <Show when={mine().length > 1}>
      <Section title={`Step by step, ${props.host}`}>
        <StackedBars
          label={`time of each step of ${props.host} by part`}
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

interface OfAll {
  readonly document: Document;
  readonly several: boolean; // hosts
}

function Activities(props: OfAll): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'host_activities'));
  const inAll = createMemo(() => withoutSteps(rows(), 'self_per_step', 'self'));
  const link = (row: Row): string =>
    sliceHref(rows().text(row, 'name'), 'host', props.several ? rows().text(row, 'host') : '');
  return (
    <DataTable
      name="host_activities"
      title="Annotations, Python functions and calls of the runtime"
      table={rows().table}
      columns={[
        { name: 'name', link },
        ...(props.several ? [{ name: 'host' as const, link: hostHref(rows()) }] : []),
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

function Threads(props: OfAll): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'host_threads'));
  const of = (row: Row): string => (props.several ? `${rows().text(row, 'host')} ` : '');
  const track = (row: Row): string => pageHref('timeline', { tracks: of(row) + rows().text(row, 'thread') });
  const top = (row: Row): string =>
    sliceHref(rows().text(row, 'top'), 'host', props.several ? rows().text(row, 'host') : '');
  return (
    <DataTable
      name="host_threads"
      title="Threads"
      table={rows().table}
      columns={[
        { name: 'thread', link: track },
        props.several ? { name: 'host', link: hostHref(rows()) } : { name: 'host' },
        { name: 'main' },
        { name: 'events' },
        { name: 'busy' },
        { name: 'busy_share', bar: true },
        { name: 'top', label: 'mostly', link: top },
      ]}
      open={row => follow(track(row))}
      maxRows={14}
    />
  );
}
