// How much device memory was in use, for what, and what programs need.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type Document, type Row, Rows, rowsOf } from '../../api/document';
import { deviceText, hostColumn, ofHost, rowsOfHost, severalHosts } from '../../api/hosts';
import { programColumn, programFilter } from '../../api/programs';
import { memoryHues } from '../../app/colors';
import { Empty, Page, Section } from '../../app/Page';
import { follow, param, setParams } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, pageHref, timelineHref, viewQuery } from '../../app/view';
import { Lines } from '../../charts/Lines';
import { Treemap } from '../../charts/Treemap';
import { bytes, percent } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { formatArea } from '../../timeline/selection/area';
import { HeapProfiles } from './HeapProfiles';
import { Schedule } from './Schedule';

export function Memory(): JSX.Element {
  const document = createDocument(() => 'memory', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <>
          <Show
            when={rowsOf(shown(), 'memory').length > 0}
            fallback={
              <Empty>
                No memory events in this capture. XLA's BFC allocator writes them while a GPU or TPU is
                captured; a CPU has none, nor has <code>XLA_PYTHON_CLIENT_ALLOCATOR=platform</code>. What
                programs need is shown below.
              </Empty>
            }
          >
            <InUse document={shown()} chosen={chosen(shown())} />
            <Live document={shown()} chosen={chosen(shown())} />
          </Show>
          <Buffers document={shown()} host={hostOf(shown())} />
          <Schedule document={shown()} host={hostOf(shown())} />
          <Programs document={shown()} />
          <HeapProfiles />
        </>
      )}
    </Page>
  );
}

// An allocator of a host; the page is about one of them at a time.
const keyOf = (
  rows: Rows<{ readonly host: string; readonly allocator: string }>,
  row: Row | undefined,
): string => `${rows.text(row, 'host')} ${rows.text(row, 'allocator')}`;

function chosen(document: Document): string {
  const allocators = rowsOf(document, 'memory');
  const known = allocators.all.some(row => keyOf(allocators, row) === param('allocator'));
  if (known) return param('allocator');
  const peak = (row: Row): number => allocators.number(row, 'peak') ?? 0; // the answer is about the largest
  const worst = allocators.all.reduce(
    (most, row) => (peak(row) > peak(most) ? row : most),
    allocators.all[0]!,
  );
  return keyOf(allocators, worst);
}

// The host of that allocator.
function hostOf(document: Document): string {
  const allocators = rowsOf(document, 'memory');
  return allocators.text(
    allocators.all.find(row => keyOf(allocators, row) === chosen(document)),
    'host',
  );
}

interface OfAllocator {
  readonly document: Document;
  readonly chosen: string;
}

function InUse(props: OfAllocator): JSX.Element {
  const allocators = createMemo(() => rowsOf(props.document, 'memory'));
  const timeline = createMemo(() => rowsOf(props.document, 'memory_timeline'));
  const row = () => allocators().all.find(candidate => keyOf(allocators(), candidate) === props.chosen);
  const points = createMemo(() => timeline().all.filter(point => keyOf(timeline(), point) === props.chosen));
  return (
    <Section
      docs="metrics/memory_peak"
      title="In use over time"
      hint={`Peak ${bytes(allocators().number(row(), 'peak'))} of ${bytes(allocators().number(row(), 'limit'))} that the allocator may use (${percent(allocators().number(row(), 'used'))}), ${bytes(allocators().number(row(), 'before'))} of it from before the capture. A click goes to the timeline.`}
    >
      <Show when={allocators().length > 1}>
        <div class="tabs" role="group" aria-label="allocator">
          <For each={allocators().all}>
            {other => (
              <button
                type="button"
                aria-pressed={keyOf(allocators(), other) === props.chosen}
                onClick={() => setParams({ allocator: keyOf(allocators(), other) }, 'push')}
              >
                {severalHosts(props.document) ? `${allocators().text(other, 'host')} · ` : ''}
                {allocators().text(other, 'device')} · {allocators().text(other, 'allocator')}
              </button>
            )}
          </For>
        </div>
      </Show>
      <Lines
        label="bytes in use over time"
        at={points().map(point => timeline().number(point, 'time') ?? 0)}
        atUnit="ps"
        atName="time"
        lines={[
          {
            name: 'in use',
            color: 'compute',
            values: points().map(point => timeline().number(point, 'in_use')),
          },
        ]}
        unit="bytes"
        onPick={index => follow(momentHref(timeline().number(points()[index], 'time')))}
      />
    </Section>
  );
}

const pagesOfKinds: { readonly [kind: string]: string } = { input: 'transfers', compilation: 'compile' };

// A moment on the timeline, marked, with the millisecond around it. What the mark sums up ran then.
const momentHref = (time: number | null): string => {
  if (time === null) return '';
  const marked = { from: Math.max(0, time - 1e7), to: time + 1e7, tracks: [] };
  return timelineHref(time - 5e8, 1e9, { area: formatArea(marked) });
};

function Live(props: OfAllocator): JSX.Element {
  const table = createMemo(() => {
    const all = rowsOf(props.document, 'memory_live');
    return { ...all.table, rows: all.all.filter(row => keyOf(all, row) === props.chosen) };
  });
  const rows = createMemo(() => new Rows(table()));
  // Where it comes from, as far as it is known.
  const link = (row: Row): string => {
    const [program, operation] = [rows().text(row, 'program'), rows().text(row, 'operation')];
    if (program !== '' && operation !== '') return operationHref(program, operation);
    if (program !== '') return pageHref('memory', { 'memory_programs.filter': `program="${program}"` });
    const page = pagesOfKinds[rows().text(row, 'kind')];
    return page ? pageHref(page) : '';
  };
  const peak = (): string => {
    const allocators = rowsOf(props.document, 'memory');
    const own = allocators.all.find(row => keyOf(allocators, row) === props.chosen);
    return momentHref(allocators.number(own, 'peak_time'));
  };
  return (
    <Section
      title="Live at the peak"
      hint={`${deviceText(props.document, rows(), rows().all[0])}: all that the allocator held at that moment.`}
    >
      <Treemap
        label="what was live at the peak"
        height={180}
        show={bytes}
        items={rows().all.map(row => ({
          name: rows().text(row, 'what'),
          detail: [rows().text(row, 'operation'), rows().text(row, 'shape')].join(' '),
          amount: `${bytes(rows().number(row, 'bytes'))}, ${percent(rows().number(row, 'share'))}`,
          value: rows().number(row, 'bytes') ?? 0,
          color: memoryHues[rows().text(row, 'kind')] ?? 'rest',
          group: rows().text(row, 'kind'),
          href: link(row),
        }))}
      />
      <DataTable
        name="memory_live"
        title="Live at the peak"
        table={rows().table}
        columns={[
          { name: 'what', link },
          { name: 'bytes', bar: true, link: () => peak() },
          { name: 'share', about: 'of all that the allocator held' },
          { name: 'count' },
          { name: 'kind' },
          { name: 'shape' },
        ]}
        open={row => follow(link(row))}
        maxRows={12}
      />
    </Section>
  );
}

const bufferHues = [
  'compute',
  'elementwise',
  'copies',
  'softmax',
  'layout',
  'reduction',
  'host',
  'communication',
];

// layer_3 and layer_4 are the same thing, forward and backward; what jit and grad put around a name is left out.
function scopeGroup(scope: string): string {
  const names = scope.split('/').filter(name => !/[()]|^jvp$|^main$/.test(name));
  return names.slice(0, 2).join('/').replace(/\d+/g, '*') || 'no scope';
}

function Buffers(props: { document: Document; host: string }): JSX.Element {
  const rows = createMemo(() => rowsOfHost(props.document, 'memory_buffers', props.host));
  const link = (row: Row): string =>
    operationHref(rows().text(row, 'program_id'), rows().text(row, 'instruction'));
  const groupOf = (row: Row): string =>
    rows().text(row, 'kind') === 'parameter' ? 'parameters' : scopeGroup(rows().text(row, 'scope'));
  // The groups with the most bytes have hues of their own.
  const hues = createMemo(() => {
    const sums = new Map<string, number>();
    for (const row of rows().all)
      sums.set(groupOf(row), (sums.get(groupOf(row)) ?? 0) + (rows().number(row, 'bytes') ?? 0));
    sums.delete('parameters');
    const largest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, bufferHues.length);
    return new Map([
      ['parameters', 'idle-dispatch'],
      ...largest.map(([name], i) => [name, bufferHues[i]!] as const),
    ]);
  });
  return (
    <Show when={rows().length > 0}>
      <Section
        title={`Buffers of ${rows().text(rows().all[0], 'program')}${ofHost(props.document, rows())} at its peak`}
        hint="From the program's buffer assignment; coloured by scope."
      >
        <Treemap
          label="buffers at the program's peak"
          height={260}
          show={bytes}
          items={rows().all.map(row => ({
            name: rows().text(row, 'instruction'),
            detail: `${rows().text(row, 'shape')}\n${rows().text(row, 'scope')}`,
            amount: bytes(rows().number(row, 'bytes')),
            value: rows().number(row, 'bytes') ?? 0,
            color: hues().get(groupOf(row)) ?? 'idle',
            group: hues().has(groupOf(row)) ? groupOf(row) : 'other scopes',
            href: link(row),
          }))}
        />
        <DataTable
          name="memory_buffers"
          title="Buffers"
          table={rows().table}
          columns={[
            { name: 'instruction', link },
            { name: 'bytes', bar: true },
            { name: 'share' },
            { name: 'shape' },
            { name: 'kind' },
            { name: 'category' },
            { name: 'scope', keepEnd: true },
          ]}
          maxRows={14}
        />
      </Section>
    </Show>
  );
}

function Programs(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'memory_programs'));
  // Many are only compiled in the time of the capture: those have no operations to lead to.
  const ran = createDocument(
    () => 'ops',
    () => ({ ...viewQuery(), by: 'program' }),
  );
  const link = (row: Row): string =>
    rowsOf(ran.document(), 'ops').find('program_id', rows().cell(row, 'program_id'))
      ? pageHref('ops', { 'ops.filter': programFilter(rows().text(row, 'program_id')) })
      : '';
  return (
    <DataTable
      name="memory_programs"
      title="What programs need"
      table={rows().table}
      columns={[
        { ...programColumn(rows()), link },
        ...hostColumn(props.document),
        { name: 'total', label: 'needs', bar: true },
        { name: 'parameters' },
        { name: 'donated' },
        { name: 'outputs' },
        { name: 'temporaries' },
        { name: 'packing', about: 'lost between buffers' },
        { name: 'peak_at' },
      ]}
      maxRows={14}
      empty="The capture holds no program with its buffer assignment."
    />
  );
}
