// Which operations, scopes and layers take the device's time: an icicle of the scopes beside a table.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { programFilter } from '../../api/programs';
import { stepColumn, withoutSteps } from '../../api/steps';
import type { Tables } from '../../api/tables';
import { hue } from '../../app/colors';
import { Page, Section } from '../../app/Page';
import { follow, param, setParams } from '../../app/router';
import { createDocument } from '../../app/session';
import { operationHref, pageHref, viewQuery } from '../../app/view';
import { Icicle } from '../../charts/Icicle';
import { buildTree, type Node } from '../../charts/tree';
import { time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { withBelow } from '../../table/filter';
import type { ColumnSpec } from '../../table/layout';
import { Swatch } from '../../table/Swatch';

const groups: readonly (readonly [string, string])[] = [
  ['op', 'operation'],
  ['scope', 'scope'],
  ['layer', 'layer'],
  ['category', 'category'],
  ['source', 'source line'],
  ['program', 'program'],
  ['shape', 'shape'],
];

export function Operations(): JSX.Element {
  const by = (): string => (groups.some(([id]) => id === param('by')) ? param('by') : 'op');
  const document = createDocument(
    () => 'ops',
    () => ({ ...viewQuery(), by: by() }),
  );
  const scopes = createDocument(
    () => 'ops',
    () => ({ ...viewQuery(), by: 'scope' }),
  );
  return (
    <Page of={document}>
      {shown => (
        <>
          <ScopeIcicle document={scopes.document()} />
          <div>
            <div class="tabs" role="group" aria-label="group by">
              <span class="muted">by</span>
              <For each={groups}>
                {([id, title]) => (
                  <button
                    type="button"
                    aria-pressed={by() === id}
                    onClick={() =>
                      setParams({ by: id === 'op' ? '' : id, 'ops.sort': '', 'ops.columns': '' }, 'push')
                    }
                  >
                    {title}
                  </button>
                )}
              </For>
            </div>
            <OperationsTable document={shown()} by={by()} />
          </div>
        </>
      )}
    </Page>
  );
}

function ScopeIcicle(props: { document: Document | undefined }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'ops'));
  const passColor = (row: Row): string => {
    const pass = rows().text(row, 'pass');
    return pass === 'backward' ? 'elementwise' : pass === 'forward' ? 'compute' : 'idle';
  };
  const tree = createMemo(() =>
    buildTree(
      rows().all.map(row => ({
        name: rows().text(row, 'name'),
        depth: rows().number(row, 'depth') ?? 0,
        value: rows().number(row, 'per_step') ?? rows().number(row, 'self') ?? 0,
        color: passColor(row),
      })),
      'device time',
    ),
  );
  const pathOf = (node: Node): string => (node.row < 0 ? '' : rows().text(rows().all[node.row], 'path'));
  const keyOf = (path: string): string => {
    const find = (node: Node): string | undefined => {
      if (pathOf(node) === path) return node.key;
      for (const child of node.children) {
        const found = find(child);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return find(tree()) ?? '';
  };
  const pick = (node: Node): void =>
    setParams(
      {
        scope: pathOf(node),
        'ops.filter': node.row < 0 ? '' : operationsBehind(rows(), rows().all[node.row]!, 'scope'),
      },
      'push',
    );
  return (
    <Show when={!props.document || rows().length > 0}>
      <Section
        title="Scopes"
        hint="Device time by scope, forward dark and backward light. A click looks into a scope and filters the table; a click on the top goes back."
      >
        <div class="keep-icicle">
          <Show when={props.document}>
            <Icicle
              root={tree()}
              top={keyOf(param('scope'))}
              show={node => time(node.value)}
              onPick={pick}
              label="device time by scope"
            />
          </Show>
        </div>
      </Section>
    </Show>
  );
}

// The filter that leaves the operations of a row of another grouping.
function operationsBehind(rows: Rows<Tables['ops']>, row: Row, by: string): string {
  const [name, path] = [rows.text(row, 'name'), rows.text(row, 'path')];
  const [scope, outside] = [rows.text(row, 'scope'), rows.text(row, 'unattributed')];
  if (outside !== '' && path === outside) {
    // What has a scope or a line all the same stands there.
    const without = by === 'source' ? 'source= ' : by === 'scope' || by === 'layer' ? 'scope= ' : '';
    return `${without}unattributed="${outside}"`;
  }
  if (by === 'source') return name === '(no source line)' ? 'source= unattributed=' : `source="${name}"`;
  if (by !== 'scope') return `category="${name}"`;
  // "(itself)" and "(outside gradient)" stand below the scope whose own operations they are.
  return scope !== '' && path.startsWith(`${scope}/`) ? `scope="${scope}"` : withBelow('scope', path);
}

type OpsColumn = ColumnSpec<ColumnOf<'ops'>>;

const timeOf = (rows: Rows<Tables['ops']>): OpsColumn => ({
  ...stepColumn(withoutSteps(rows, 'per_step', 'self'), 'per_step', 'self', 'self'),
  about: 'device time of its own: each instant of busy time belongs to one operation',
});

const measures: readonly OpsColumn[] = [
  { name: 'share', label: 'of busy', about: "self time, of the devices' busy time", bar: true },
  { name: 'executions', label: 'runs', about: 'executions in all counted steps, on all devices' },
  { name: 'mean', label: 'whole', about: 'mean of whole executions, with what runs inside them' },
  { name: 'flops_per_second', label: 'rate' },
  { name: 'bytes_per_second', label: 'memory', about: 'bytes that it reads and writes over its time' },
  { name: 'bound', label: 'bound by' },
];

function OperationsTable(props: { document: Document; by: string }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'ops'));
  const isOperation = (row: Row): boolean => rows().cell(row, 'program_id') !== null && props.by === 'op';
  const link = (row: Row): string | undefined => {
    const name = rows().text(row, 'name');
    if (isOperation(row)) return operationHref(rows().cell(row, 'program_id') as number, name);
    if (['category', 'source', 'scope'].includes(props.by) || rows().text(row, 'unattributed') === name)
      return pageHref('ops', { 'ops.filter': operationsBehind(rows(), row, props.by) });
    if (props.by === 'program' && rows().cell(row, 'program_id') !== null)
      return pageHref('ops', { 'ops.filter': programFilter(rows().text(row, 'program_id')) });
    return undefined;
  };
  const columns = (): readonly OpsColumn[] => {
    const name: OpsColumn = {
      name: 'name',
      label: groups.find(([id]) => id === props.by)?.[1] ?? 'name',
      link,
      mark: row => <Swatch color={hue(rows().text(row, 'category') || rows().text(row, 'name'))} />,
    };
    if (props.by === 'op')
      return [
        name,
        timeOf(rows()),
        ...measures,
        { name: 'category' },
        { name: 'scope', keepEnd: true },
        { name: 'source', keepEnd: true },
      ];
    if (props.by === 'layer')
      return [
        { ...name, mark: () => null },
        { name: 'pass' },
        timeOf(rows()),
        { name: 'share', label: 'of busy', about: "of the devices' busy time", bar: true },
        { name: 'layers' },
        { name: 'layer_mean', label: 'each' },
        { name: 'layer_min', label: 'min' },
        { name: 'layer_max', label: 'max' },
        { name: 'layer_spread', label: 'spread' },
        { name: 'slowest_layer', label: 'slowest', keepEnd: true },
        { name: 'bound', label: 'bound by' },
      ];
    return [
      props.by === 'category' ? name : { ...name, mark: () => null },
      timeOf(rows()),
      ...measures,
      { name: 'operations' },
    ];
  };
  const tree = (): boolean => rows().all.some(row => (rows().number(row, 'depth') ?? 0) > 0);
  return (
    <DataTable
      name="ops"
      title={groups.find(([id]) => id === props.by)?.[1] ?? 'operations'}
      table={rows().table}
      columns={columns()}
      {...(tree() ? { depth: 'depth' } : {})}
      open={row => follow(link(row))}
      empty="No device work in this part of the capture."
    />
  );
}
