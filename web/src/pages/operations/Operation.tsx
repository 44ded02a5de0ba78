// One operation: what it is, what it costs, its kernels, its neighbours, its place in the source.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { operationsOf } from '../../api/kernels';
import { stepColumn } from '../../api/steps';
import type { Tables } from '../../api/tables';
import { Page, Section } from '../../app/Page';
import { param } from '../../app/router';
import { createDocument } from '../../app/session';
import { noProgram, operationHref, operationSliceHref, pageHref, viewKeys, viewQuery } from '../../app/view';
import { amount, count, percent, time, type Unit } from '../../format/numbers';
import { Executions } from './Executions';
import { Neighbours } from './Neighbours';

export function Operation(): JSX.Element {
  const ops = createDocument(() => 'ops', viewQuery);
  const roofline = createDocument(() => 'roofline', viewQuery);
  const kernels = createDocument(() => 'kernels', viewQuery);
  const row = createMemo(() => findOperation(rowsOf(ops.document(), 'ops')));
  const known = (): string => rowsOf(ops.document(), 'ops').text(row(), 'program_id');
  const program = (): string => known() || param('of').replace(noProgram, '');
  const hlo = createDocument(
    () => 'hlo',
    () => (ops.document() && program() ? { program: program(), instruction: param('name') } : undefined),
  );
  return (
    <Page
      of={ops}
      heading={
        <div>
          <h1 class="answer">{hlo.document()?.answer ?? param('name')}</h1>
          <p class="hint">{hlo.error()?.message}</p>
          <p>
            <a href={pageHref('ops')}>all operations</a>
            <Show when={row()}>
              {' · '}
              <a href={operationSliceHref(known(), param('name'))}>on the timeline</a>
            </Show>
          </p>
        </div>
      }
    >
      {document => {
        const rows = () => rowsOf(document(), 'ops');
        return (
          <>
            <Show when={row()} fallback={<p>{whyAbsent(hlo.document())}</p>}>
              {found => (
                <div class="halves">
                  <Costs rows={rows()} row={found()} roofline={roofline.document()} />
                  <Executions name={param('name')} program={known()} />
                </div>
              )}
            </Show>
            <KernelsOf document={kernels.document()} program={known()} />
            <Show when={hlo.document()}>
              {shown => <Instruction document={shown()} program={program()} />}
            </Show>
          </>
        );
      }}
    </Page>
  );
}

function whyAbsent(hlo: Document | undefined): string {
  if (viewKeys.some(key => param(key))) return 'It did not run in this part of the capture.';
  return hlo ? 'It did not run in this capture.' : 'No operation of this name ran in this capture.';
}

function findOperation(rows: Rows<Tables['ops']>): Row | undefined {
  return rows.all.find(
    row =>
      rows.text(row, 'name') === param('name') &&
      ['', rows.text(row, 'program_id') || noProgram, rows.text(row, 'program')].includes(param('of')),
  );
}

function Costs(props: { rows: Rows<Tables['ops']>; row: Row; roofline: Document | undefined }): JSX.Element {
  const judged = createMemo(() => {
    const all = rowsOf(props.roofline, 'roofline');
    const program = props.rows.text(props.row, 'program_id');
    const row = all.all.find(
      other => all.text(other, 'name') === param('name') && all.text(other, 'program_id') === program,
    );
    return { all, row };
  });
  const of = (name: ColumnOf<'ops'>, unit: Unit): string => amount(unit, props.rows.number(props.row, name));
  // Of one execution: the table has the sum of all.
  const each = (name: ColumnOf<'ops'>, unit: Unit): string => {
    const sum = props.rows.number(props.row, name);
    const runs = props.rows.number(props.row, 'executions');
    return amount(unit, sum === null || !runs ? null : sum / runs);
  };
  const inAll = (): boolean => props.rows.number(props.row, 'per_step') === null;
  const spent = () => stepColumn(inAll(), 'per_step', 'self');
  const wasted = () => stepColumn(inAll(), 'wasted_per_step', 'wasted');
  const ideal = (): (readonly [string, string])[] => {
    const { all, row } = judged();
    if (row && all.number(row, 'efficiency') === null)
      return [['efficiency', '–: nothing to hold it against is known']];
    return [
      ['efficiency', percent(all.number(row, 'efficiency'))],
      ['beyond the ideal', `${time(all.number(row, wasted().name))} ${wasted().label}`],
    ];
  };
  const facts = (): readonly (readonly [string, string])[] => [
    [
      spent().label,
      `${of(spent().name, 'ps')}, ${percent(props.rows.number(props.row, 'share'))} of the busy time`,
    ],
    [
      'executions',
      `${count(props.rows.number(props.row, 'executions'))}${inAll() ? '' : ' in the counted steps'}, ${of('mean', 'ps')} each`,
    ],
    ['category', props.rows.text(props.row, 'category')],
    ['bound by', props.rows.text(props.row, 'bound')],
    ['compute', `${each('flops', 'flop')} each, ${of('flops_per_second', 'flop/s')}`],
    ['memory', `${each('bytes', 'bytes')} each, ${of('bytes_per_second', 'bytes/s')}`],
    ...ideal(),
    ['scope', props.rows.text(props.row, 'scope')],
    ['source', props.rows.text(props.row, 'source')],
  ];
  return (
    <Section title="Cost">
      <Facts of={facts()} />
    </Section>
  );
}

export function Facts(props: { of: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl class="facts">
      <For each={props.of.filter(([, value]) => value !== '')}>
        {([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        )}
      </For>
    </dl>
  );
}

function KernelsOf(props: { document: Document | undefined; program: string }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'kernels'));
  const mine = createMemo(() =>
    rows().all.filter(row =>
      operationsOf(rows(), row).some(one => one.name === param('name') && one.program === props.program),
    ),
  );
  return (
    <Show when={mine().length > 0}>
      <Section title="Kernels">
        <ul class="plain">
          <For each={mine()}>
            {row => (
              <li>
                <a href={pageHref('kernels', { 'kernels.filter': `"${rows().text(row, 'kernel')}"` })}>
                  {rows().text(row, 'kernel')}
                </a>
                <span class="muted">
                  {' '}
                  grid {rows().text(row, 'grid') || '–'} · block {rows().text(row, 'block') || '–'} ·{' '}
                  {time(rows().number(row, 'mean'))} in the mean of all its runs · occupancy{' '}
                  {percent(rows().number(row, 'occupancy'))}
                </span>
              </li>
            )}
          </For>
        </ul>
      </Section>
    </Show>
  );
}

function Instruction(props: { document: Document; program: string }): JSX.Element {
  const stack = () => rowsOf(props.document, 'stack');
  return (
    <>
      <Section title="Neighbours in the program">
        <Neighbours
          rows={rowsOf(props.document, 'neighbours')}
          name={param('name')}
          link={name => operationHref(props.program, name)}
        />
      </Section>
      <div class="halves">
        <Section title="Source">
          <Show
            when={stack().length > 0}
            fallback={<p class="muted">The program does not say where it comes from.</p>}
          >
            <ol class="plain">
              <For each={stack().all}>
                {row => (
                  <li>
                    <code>{stack().text(row, 'source')}</code>{' '}
                    <span class="muted">{stack().text(row, 'function')}</span>
                  </li>
                )}
              </For>
            </ol>
          </Show>
        </Section>
        <For each={Object.entries(props.document.texts ?? {})}>
          {([name, text]) => (
            <Section title={name === 'called' ? 'What it calls' : 'HLO'}>
              <pre class="code">{text}</pre>
            </Section>
          )}
        </For>
      </div>
    </>
  );
}
