import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../../api/document';
import { Empty, Page } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, operationSliceHref, sliceFromHref, viewQuery } from '../../app/view';
import { DataTable } from '../../table/DataTable';
import type { ColumnSpec } from '../../table/layout';

// Copies overlap, each other and those of other rows: bytes over this time are more than the rate of one.
const timeColumn: ColumnSpec<'time'> = {
  name: 'time',
  label: 'in flight',
  about: 'time during which at least one was on, device by device, over all counted steps; rows may share it',
  bar: true,
};
const rateColumn: ColumnSpec<'rate'> = {
  name: 'rate',
  label: 'one copy at',
  about: 'bytes over the durations of the copies, which may overlap',
};

export function Transfers(): JSX.Element {
  const document = createDocument(() => 'transfers', viewQuery);
  return (
    <Page of={document}>
      {shown => (
        <Show
          when={rowsOf(shown(), 'transfers').length > 0}
          fallback={
            <Empty>
              No copies between host and devices in this part of the capture. On a CPU the devices are the
              host itself: there are none.
            </Empty>
          }
        >
          <DataTable
            name="transfers"
            title="By kind"
            table={rowsOf(shown(), 'transfers').table}
            columns={[
              { name: 'kind' },
              timeColumn,
              { name: 'bytes', label: 'bytes in all', about: 'what all of them moved' },
              rateColumn,
              { name: 'count' },
              { name: 'hidden', about: 'share of the time under compute' },
              { name: 'place', label: 'asked by' },
              { name: 'staging', about: "the host's own copying before or after" },
              { name: 'staging_rate' },
              { name: 'memory' },
            ]}
          />
          <Sites document={shown()} table="transfer_sites" title="Copies by place" />
          <Sites document={shown()} table="memset_sites" title="Memsets by place" />
        </Show>
      )}
    </Page>
  );
}

function Sites(props: {
  document: Document;
  table: 'transfer_sites' | 'memset_sites';
  title: string;
}): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, props.table));
  const link = (row: Row): string => {
    const name = rows().text(row, 'instruction');
    const program = rows().text(row, 'program_id');
    if (name !== '') return program === '' ? operationSliceHref('', name) : operationHref(program, name);
    // The longest copy itself: what asked for it is called elsewhere too, and often copies nothing there.
    return sliceFromHref(rows().text(row, 'event'), rows().number(row, 'begin') ?? 0);
  };
  return (
    <Show when={rows().length > 0}>
      <DataTable
        name={props.table}
        title={props.title}
        table={rows().table}
        columns={[
          { name: 'place', link },
          { name: 'size', label: 'each' },
          timeColumn,
          rateColumn,
          { name: 'count' },
          { name: 'hidden', about: 'share of the time under compute' },
          { name: 'staging' },
          { name: 'kind' },
          { name: 'every_step' },
        ]}
        open={row => follow(link(row))}
      />
    </Show>
  );
}
