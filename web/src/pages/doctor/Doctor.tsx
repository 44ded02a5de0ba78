// What makes the step slow: findings in the order of what they cost, each with its evidence and what to do.
import { createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Document, type Row, type Rows, rowsOf } from '../../api/document';
import type { Tables } from '../../api/tables';
import { BalanceBar } from '../../app/BalanceBar';
import { pageOf } from '../../app/commands';
import { DocsLink, docsHref } from '../../app/DocsLink';
import { Link } from '../../app/Link';
import { Empty, Page, Section } from '../../app/Page';
import { here } from '../../app/places';
import { param } from '../../app/router';
import { createDocument } from '../../app/session';
import { areaHref, pageHref, viewQuery } from '../../app/view';
import { type Part, PartsBar } from '../../charts/PartsBar';
import { percent, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

interface Evidence {
  readonly text: string;
  readonly host?: string;
  readonly track?: string;
  readonly begin?: number;
  readonly end?: number;
}

export function Doctor(): JSX.Element {
  const document = createDocument(
    () => 'doctor',
    () => ({ ...viewQuery(), verbose: '1' }),
  );
  return (
    <Page of={document}>
      {shown => (
        <>
          <BalanceBar document={shown()} here="doctor" />
          <Show
            when={rowsOf(shown(), 'findings').length > 0}
            fallback={<Empty>No rule found anything. The rules that looked are below.</Empty>}
          >
            <Fixes document={shown()} />
            <Findings document={shown()} />
          </Show>
          <DataTable
            name="rules"
            title="Rules"
            about="what was looked for"
            table={rowsOf(shown(), 'rules').table}
            columns={[
              {
                name: 'rule',
                link: row =>
                  here().docs ? docsHref(`rules/${rowsOf(shown(), 'rules').text(row, 'rule')}`) : undefined,
              },
              { name: 'result' },
              { name: 'why' },
            ]}
            maxRows={14}
          />
        </>
      )}
    </Page>
  );
}

const fixColors = ['reduction', 'communication', 'layout', 'softmax', 'compile', 'copies'];

// The step as one bar: what the findings would take away, one after the other, and what stays.
function Fixes(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'fixes'));
  const partOf = (row: Row, i: number): Part => {
    const [name, saved] = [rows().text(row, 'title'), time(rows().number(row, 'saved'))];
    const share = rows().number(row, 'share') ?? 0;
    return {
      name,
      title: `${name}: ${saved}, ${percent(share)}`,
      amount: saved,
      share,
      color: rows().text(row, 'rule') === '' ? 'compute' : fixColors[i % fixColors.length]!,
    };
  };
  return (
    <Show when={rows().length > 1}>
      <Section title="With the findings fixed, one after the other">
        <PartsBar
          parts={rows().all.map(partOf)}
          label="the step, and what the findings take of it"
          class="fixes"
        />
      </Section>
    </Show>
  );
}

function Findings(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'findings'));
  const details = createMemo(() => rowsOf(props.document, 'finding_details'));
  let list!: HTMLOListElement;
  // A link to one finding.
  createEffect(() => {
    const at = rows().all.findIndex(row => rows().text(row, 'rule') === param('finding'));
    if (at >= 0) list.children[at]?.scrollIntoView({ block: 'start' });
  });
  return (
    <ol class="findings" ref={list}>
      <For each={rows().all}>
        {(row, i) => <Finding rows={rows()} row={row} details={details()} detail={details().all[i()]} />}
      </For>
    </ol>
  );
}

function Finding(props: {
  rows: Rows<Tables['findings']>;
  row: Row;
  details: Rows<Tables['finding_details']>;
  detail: Row | undefined;
}): JSX.Element {
  const cost = (): string => props.rows.text(props.row, 'cost'); // empty: none
  const evidence = (): readonly Evidence[] =>
    (props.rows.cell(props.row, 'evidence') as Evidence[] | null) ?? [];
  const overlaps = (): readonly string[] =>
    (props.details.cell(props.detail, 'overlaps') as readonly string[] | null) ?? [];
  // "a step", and what a cost is of where there are no steps.
  const portion = (): string => props.rows.text(props.row, 'portion');
  const fixed = (): number | null => props.details.number(props.detail, 'step_if_fixed');
  return (
    <li classList={{ asked: props.rows.text(props.row, 'rule') === param('finding') }}>
      <div class="head">
        <h2>{props.rows.text(props.row, 'title')}</h2>
        <span class={`severity ${props.rows.text(props.row, 'severity')}`}>
          {props.rows.text(props.row, 'severity')}
        </span>
        <span class="room" />
        <span class="cost">{cost() || '–'}</span>
        <span class="muted">
          {!cost()
            ? 'has no cost of its own'
            : `${percent(props.rows.number(props.row, 'share'))}${portion() === 'a step' ? ' of the step' : ''}`}
        </span>
      </div>
      <p>{props.rows.text(props.row, 'cause')}</p>
      <Show when={evidence().length > 0}>
        <ul class="plain muted">
          <For each={evidence()}>
            {entry => (
              <li>
                <Show when={entry.begin !== undefined && entry.end !== undefined} fallback={entry.text}>
                  <Link to={areaHref(entry.begin!, entry.end!)}>{entry.text}</Link>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.rows.text(props.row, 'fix')}>{fix => <pre class="code">{fix()}</pre>}</Show>
      <p class="muted small">
        <Show when={cost() ? fixed() : null}>
          {step => (
            <>
              with this and all before it fixed: {time(step())} {portion()} ·{' '}
            </>
          )}
        </Show>
        <Show when={overlaps().length > 0}>overlaps with {overlaps().join(', ')} · </Show>
        <See details={props.details} row={props.detail} />
        <Show when={here().docs && props.rows.text(props.row, 'docs')}>
          {page => (
            <>
              {' · '}
              <DocsLink page={page()} name={`about this finding: ${props.rows.text(props.row, 'title')}`}>
                about this finding
              </DocsLink>
            </>
          )}
        </Show>
      </p>
      <details class="muted small">
        <summary>rule {props.rows.text(props.row, 'rule')}</summary>
        {props.details.text(props.detail, 'explain')}
      </details>
    </li>
  );
}

// A page of the viewer shows what the command shows; where there is no such page, the command.
function See(props: { details: Rows<Tables['finding_details']>; row: Row | undefined }): JSX.Element {
  const text = (column: ColumnOf<'finding_details'>): string => props.details.text(props.row, column);
  const address = (): string | undefined => {
    const page = pageOf(text('see_verb'));
    const option = text('see_option');
    return page && pageHref(page, option ? { [option]: text('see_value') } : {});
  };
  return (
    <Show when={address()} fallback={<code>{text('see')}</code>}>
      {address => <a href={address()}>see more</a>}
    </Show>
  );
}
