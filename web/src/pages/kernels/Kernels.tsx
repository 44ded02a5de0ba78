import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { type KernelOperation, operationsOf } from '../../api/kernels';
import { programFilter } from '../../api/programs';
import type { Tables } from '../../api/tables';
import { Empty, Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, pageHref, sliceHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { amount, count, percents, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { lengthFilter } from '../../table/lengths';
import { Facts } from '../operations/Operation';

export function Kernels(): JSX.Element {
  const document = createDocument(() => 'kernels', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={rowsOf(shown(), 'kernels').length > 0}
          fallback={
            <Empty>
              No kernels in this capture: CPUs and TPUs have operations instead. See{' '}
              <a href={pageHref('ops')}>Operations</a>.
            </Empty>
          }
        >
          <div class="halves">
            <Sizes document={shown()} />
            <Launches document={shown()} />
          </div>
          <KernelTable document={shown()} />
        </Show>
      )}
    </Page>
  );
}

// The kernels that ran so long at least once.
const withLength = (rows: Rows<Tables['kernel_sizes']>, row: Row): string =>
  pageHref('kernels', {
    'kernels.filter': lengthFilter(rows.number(row, 'from') ?? 0, rows.number(row, 'below'), 'min', 'max'),
  });

function Sizes(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'kernel_sizes');
  return (
    <Section title="Kernels by length (share of the kernels' time)">
      <BarList
        label="time in kernels of a length"
        items={rows().all.map(row => ({
          name: rows().text(row, 'duration'),
          amount: `${count(rows().number(row, 'count'))} ×`,
          share: percents(rows().numbers('time_share'))(rows().number(row, 'time_share')),
          value: rows().number(row, 'total') ?? 0,
          color: 'compute',
          href: (rows().number(row, 'count') ?? 0) > 0 ? withLength(rows(), row) : undefined,
        }))}
      />
    </Section>
  );
}

function Launches(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'kernel_launches');
  const row = () => rows().all[0];
  const calls = (): readonly (readonly [string, string])[] =>
    rows().number(row(), 'launches_per_step') === null
      ? [['launch calls', count(rows().number(row(), 'launches'))]]
      : [
          ['kernels a step', amount('', rows().number(row(), 'kernels_per_step'))],
          ['launch calls a step', amount('', rows().number(row(), 'launches_per_step'))],
        ];
  return (
    <Show when={row()}>
      <Section docs="metrics/launch_overhead" title="Launches">
        <Facts
          of={[
            ...calls(),
            [
              'a call takes',
              `${time(rows().number(row(), 'call_mean'))}, p99 ${time(rows().number(row(), 'call_p99'))}`,
            ],
            ['kernels in CUDA graphs', count(rows().number(row(), 'graph_kernels'))],
            ['launch-bound', rows().text(row(), 'launch_bound')],
          ]}
        />
      </Section>
    </Show>
  );
}

// The page of the one that runs a kernel, or the table of all.
function operationsHref(all: readonly KernelOperation[]): string | undefined {
  const [first, ...more] = all;
  if (!first || more.length === 0) return first && operationHref(first.program, first.name);
  const names = [...new Set(all.map(one => one.name))].join('|');
  return pageHref('ops', {
    'ops.filter': `name="${names}" ${programFilter(...all.map(one => one.program))}`,
  });
}

function KernelTable(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'kernels'));
  // `kernel` is shortened.
  const link = (row: Row): string => sliceHref(rows().text(row, 'name'), 'device');
  return (
    <DataTable
      name="kernels"
      title="Kernels"
      table={rows().table}
      columns={[
        { name: 'kernel', link },
        { name: 'total', about: 'over all counted steps' },
        { name: 'share', label: 'of kernels', about: 'of the time of all kernels', bar: true },
        { name: 'mean' },
        { name: 'p99' },
        { name: 'count', about: 'over all counted steps' },
        { name: 'occupancy', label: 'occ.', about: 'theoretical occupancy' },
        { name: 'tensor_cores', label: 'TC', about: 'uses tensor cores' },
        { name: 'limited_by', label: 'limit', about: 'what keeps the occupancy below 100 %' },
        { name: 'registers', label: 'regs' },
        { name: 'grid' },
        { name: 'block' },
        {
          name: 'operation_count',
          label: 'operations',
          link: row => operationsHref(operationsOf(rows(), row)),
        },
      ]}
      open={row => follow(link(row))}
    />
  );
}
