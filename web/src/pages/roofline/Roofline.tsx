// How close operations come to what the device could do.
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { programFilter } from '../../api/programs';
import { stepColumn, withoutSteps } from '../../api/steps';
import type { Tables } from '../../api/tables';
import { hue } from '../../app/colors';
import { Empty, Page, Section } from '../../app/Page';
import { follow, param, setParams } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, pageHref, viewQuery } from '../../app/view';
import { Scatter, type ScatterLimit, type ScatterSlope } from '../../charts/Scatter';
import { amount, percent, plural, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import type { ColumnSpec } from '../../table/layout';
import { Swatch } from '../../table/Swatch';

export function Roofline(): JSX.Element {
  const document = createDocument(
    () => 'roofline',
    () => ({ ...viewQuery(), peak_tflops: param('peak_tflops'), peak_gbps: param('peak_gbps') }),
  );
  return (
    <Page of={document}>
      {shown => (
        <>
          <Chart document={shown()} />
          <Peaks document={shown()} />
          <OperationTable document={shown()} />
          <DataTable
            name="programs"
            title="Programs"
            table={rowsOf(shown(), 'programs').table}
            columns={[
              { name: 'name', link: programLink(rowsOf(shown(), 'programs')) },
              ...timesOf(rowsOf(shown(), 'programs')),
              { name: 'efficiency', bar: true },
              { name: 'bound', label: 'bound by' },
              { name: 'flops_per_second', label: 'rate' },
              { name: 'intensity', about: 'FLOP per byte' },
            ]}
            open={row => follow(programLink(rowsOf(shown(), 'programs'))(row))}
          />
        </>
      )}
    </Page>
  );
}

// To the operations of the program; what is of no program has no number.
const programLink = (rows: Rows<Tables['programs']>) => (row: Row) => {
  const id = rows.text(row, 'program_id');
  return id && pageHref('ops', { 'ops.filter': programFilter(id) });
};

type Times = Pick<Tables['roofline'], 'per_step' | 'self' | 'wasted_per_step' | 'wasted'>;
const isWhole = (rows: Rows<Times>): boolean => withoutSteps(rows, 'per_step', 'self');
const timesOf = (rows: Rows<Times>): readonly ColumnSpec<keyof Times>[] => [
  stepColumn(isWhole(rows), 'wasted_per_step', 'wasted', 'wasted'),
  stepColumn(isWhole(rows), 'per_step', 'self'),
];

function Chart(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'roofline'));
  const placed = createMemo(() =>
    rows().all.filter(
      row => (rows().number(row, 'intensity') ?? 0) > 0 && (rows().number(row, 'flops_per_second') ?? 0) > 0,
    ),
  );
  const memory = createMemo(() => {
    const peaks = rowsOf(props.document, 'peaks');
    return Math.max(...peaks.all.map(row => peaks.number(row, 'bytes_per_second') ?? 0), 0);
  });
  // One roof per peak of the data types that operations use: the memory's slope up to the peak.
  const limits = createMemo<ScatterLimit[]>(() => {
    const slope = memory();
    const roofs = new Map<number, Set<string>>();
    for (const row of placed()) {
      const peak = rows().number(row, 'peak');
      if (peak === null) continue;
      if (!roofs.has(peak)) roofs.set(peak, new Set());
      roofs.get(peak)!.add(rows().text(row, 'data_type'));
    }
    // Where only the bandwidth is known, its slope is all there is.
    if (roofs.size === 0)
      return slope > 0 ? [{ name: 'memory', amount: amount('bytes/s', slope), at: x => x * slope }] : [];
    return [...roofs].map(([peak, types]) => ({
      name: [...types].join(', '),
      amount: amount('flop/s', peak),
      at: x => (slope > 0 ? Math.min(peak, x * slope) : peak),
      ...(slope > 0 && { ridge: peak / slope }),
    }));
  });
  const slope = createMemo<ScatterSlope | undefined>(() => {
    const ridges = limits().flatMap(limit => limit.ridge ?? []);
    if (ridges.length === 0) return undefined;
    return {
      name: `memory ${amount('bytes/s', memory())}`,
      at: x => x * memory(),
      until: Math.min(...ridges),
    };
  });
  const left = (): string => {
    const sum = (of: readonly Row[]): number =>
      of.reduce((all, row) => all + (rows().number(row, 'self') ?? 0), 0);
    const others = rows().length - placed().length;
    if (others === 0 || placed().length === 0) return '';
    const share = 100 * (1 - sum(placed()) / Math.max(sum(rows().all), 1));
    return `${plural(others, 'operation')} with ${percent(share)} of the device time, of no FLOPs or of unknown cost, ${others === 1 ? 'is' : 'are'} in the table only.`;
  };
  const spent = createMemo(() => stepColumn(isWhole(rows()), 'per_step', 'self'));
  const open = (index: number): void => {
    const row = placed()[index]!;
    follow(operationHref(rows().text(row, 'program_id'), rows().text(row, 'name')));
  };
  const describe = (index: number): string => {
    const row = placed()[index]!;
    return [
      rows().text(row, 'name'),
      rows().text(row, 'scope'),
      `${time(rows().number(row, spent().name))} ${spent().label}`,
      amount('flop/s', rows().number(row, 'flops_per_second')),
      `${amount('', rows().number(row, 'intensity'))} FLOP per byte`,
      `${percent(rows().number(row, 'efficiency'))} of the roof`,
    ].join(' · ');
  };
  return (
    <Section docs="metrics/roofline" title="Compute rate over intensity" hint={left()}>
      <Show
        when={placed().length > 0}
        fallback={
          <Empty>No operation of this part of the capture has a known cost in FLOPs and bytes.</Empty>
        }
      >
        <Scatter
          points={placed().map(row => ({
            name: rows().text(row, 'name'),
            x: rows().number(row, 'intensity')!,
            y: rows().number(row, 'flops_per_second')!,
            weight: rows().number(row, 'self') ?? 0,
            color: hue(rows().text(row, 'category')),
          }))}
          limits={limits()}
          slope={slope()}
          xName="intensity, FLOP per byte"
          yName="compute rate"
          yUnit="flop/s"
          label="operations by intensity and compute rate, both logarithmic, below the device's limits"
          height={420}
          describe={describe}
          onPick={open}
        />
      </Show>
    </Section>
  );
}

function Peaks(props: { document: Document }): JSX.Element {
  const step = () => rowsOf(props.document, 'step');
  const known = (): boolean => step().number(step().all[0], 'mfu') !== null;
  return (
    <form
      class="tabs"
      onSubmit={event => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const of = (name: string): string => String(data.get(name) ?? '').trim();
        setParams({ peak_tflops: of('peak_tflops'), peak_gbps: of('peak_gbps') }, 'push');
      }}
    >
      <span class="muted">
        {known()
          ? `MFU ${percent(step().number(step().all[0], 'mfu'))} · HFU ${percent(step().number(step().all[0], 'hfu'))} · with other peaks:`
          : 'The peak is not known; what one device can do:'}
      </span>
      <label>
        TFLOP/s{' '}
        <input type="text" size="6" name="peak_tflops" value={param('peak_tflops')} inputmode="decimal" />
      </label>
      <label>
        GB/s <input type="text" size="6" name="peak_gbps" value={param('peak_gbps')} inputmode="decimal" />
      </label>
      <button type="submit">apply</button>
    </form>
  );
}

function OperationTable(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'roofline'));
  const link = (row: Row): string => operationHref(rows().text(row, 'program_id'), rows().text(row, 'name'));
  return (
    <DataTable
      name="roofline"
      title="Operations"
      about="in the order of the time that is beyond the ideal"
      table={rows().table}
      columns={[
        { name: 'name', link, mark: row => <Swatch color={hue(rows().text(row, 'category'))} /> },
        ...timesOf(rows()),
        { name: 'efficiency', bar: true },
        { name: 'bound', label: 'bound by' },
        { name: 'flops_per_second', label: 'rate' },
        { name: 'bytes_per_second', label: 'memory', about: 'bytes over time' },
        { name: 'intensity', about: 'FLOP per byte' },
        { name: 'data_type', label: 'type', about: 'the data type whose peak counts' },
        { name: 'scope', keepEnd: true },
      ]}
      open={row => follow(link(row))}
      empty="No device work in this part of the capture."
    />
  );
}
