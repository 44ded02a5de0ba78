// Two runs beside each other: is the second one slower, and what changed. The parts sum to the change.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type Document, type Row, type Rows, rowsOf } from '../../api/document';
import { hue } from '../../app/colors';
import { Link } from '../../app/Link';
import { Page, Section } from '../../app/Page';
import { here } from '../../app/places';
import { follow, param } from '../../app/router';
import { createDocument, createRunKey, currentRun, runs } from '../../app/session';
import { pageHref } from '../../app/view';
import { waterfall } from '../../charts/waterfall';
import { amount, chooseStyle, formatNumber, type NumberStyle, type Unit } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { Swatch } from '../../table/Swatch';
import { ChangeFlame } from './ChangeFlame';
import { Choose } from './Choose';
import { LinkedTimelines } from './LinkedTimelines';
import { StepTimes } from './StepTimes';
import { operationsBehind, sideHref, sideLinks, verbHref } from './sides';

export function Diff(): JSX.Element {
  const other = createMemo(() => runs()?.runs.find(run => run.id === param('with')));
  const document = createDocument(
    () => 'diff',
    () => (other() ? { with: other()!.id, steps: param('steps') } : undefined),
  );
  const stepsBefore = createDocument(() => 'steps');
  const stepsAfter = createDocument(
    () => 'steps',
    () => (other() ? {} : undefined),
    createRunKey(other),
  );
  return (
    <Show when={other()} fallback={<Choose />}>
      <Show when={document.error() && here().choose}>
        <p class="page">
          <span>
            {currentRun()?.label} against {other()?.label}: they cannot be compared. ·{' '}
            <a href={pageHref('diff', {})}>another run</a>
          </span>
        </p>
      </Show>
      <Page of={document}>
        {shown => (
          <>
            <p>
              from <strong>{currentRun()?.label}</strong> to <strong>{other()?.label}</strong>
              <Show when={here().choose}>
                {' '}
                · <a href={pageHref('diff', {})}>another run</a>
              </Show>
            </p>
            <StepTimes
              before={stepsBefore.document()}
              after={stepsAfter.document()}
              names={[currentRun()?.label ?? '', other()?.label ?? '']}
            />
            <Show when={comparable(shown())}>
              <Changed document={shown()} />
              <ChangeFlame document={shown()} />
            </Show>
            <Tables document={shown()} />
            <LinkedTimelines
              before={currentRun()!}
              after={other()!}
              stepsBefore={stepsBefore.document()}
              stepsAfter={stepsAfter.document()}
            />
          </>
        )}
      </Page>
    </Show>
  );
}

// A step and a whole capture have no difference.
function comparable(document: Document): boolean {
  const verdict = rowsOf(document, 'verdict');
  return verdict.number(verdict.all[0], 'delta') !== null;
}

const signed = (style: NumberStyle, value: number): string =>
  (value > 0 ? '+' : '') + formatNumber(style, value);

// A waterfall: every bar begins where the one before it ended, to the right for what takes longer.
function Changed(props: { document: Document }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'what_changed'));
  const style = () => chooseStyle('ps', true, [...rows().numbers('a'), ...rows().numbers('b')]);
  const bars = createMemo(() =>
    waterfall(
      rows().all.map(row => ({
        delta: rows().number(row, 'delta') ?? 0,
        depth: rows().number(row, 'depth') ?? 0,
        total: rows().text(row, 'part') === 'step',
      })),
    ),
  );
  const cell = (row: Row, name: 'a' | 'b' | 'delta'): string =>
    formatNumber(style(), rows().number(row, name));
  const links = createMemo(() => sideLinks(rows(), (row, side) => verbHref(rows(), row, side)));
  // Where one of the runs has no steps, both are compared as a whole.
  const inAll = (): boolean => {
    const verdict = rowsOf(props.document, 'verdict');
    return verdict.number(verdict.all[0], 'of_steps') === 0;
  };
  return (
    <Section
      docs="metrics/step_difference"
      title={`What changed (${style().unit} ${inAll() ? 'in all' : 'a step'})`}
      hint={inAll() ? undefined : 'Means of the steps, to which the parts sum.'}
    >
      <table class="changed">
        <thead>
          <tr>
            <th>part</th>
            <th class="number">before</th>
            <th class="number">after</th>
            <th class="number">change</th>
            <th />
            <th />
          </tr>
        </thead>
        <tbody>
          <For each={rows().all}>
            {(row, i) => {
              const delta = rows().number(row, 'delta') ?? 0;
              return (
                <tr classList={{ sub: (rows().number(row, 'depth') ?? 0) > 0 }}>
                  <td data-note={rows().text(row, 'note')}>
                    <Link to={links().name(row)}>{rows().text(row, 'part')}</Link>
                  </td>
                  <td class="number">
                    <Link to={links().a(row)}>{cell(row, 'a')}</Link>
                  </td>
                  <td class="number">
                    <Link to={links().b(row)}>{cell(row, 'b')}</Link>
                  </td>
                  <td class="number">{signed(style(), delta)}</td>
                  <td class="both">
                    <span
                      style={{
                        left: `${bars()[i()]!.left}%`,
                        width: `${bars()[i()]!.width}%`,
                        background: delta > 0 ? 'var(--reduction)' : 'var(--host)',
                      }}
                    />
                  </td>
                  <td class="muted">{rows().text(row, 'note')}</td>
                </tr>
              );
            }}
          </For>
        </tbody>
      </table>
    </Section>
  );
}

function Tables(props: { document: Document }): JSX.Element {
  const quantities = createMemo(() => rowsOf(props.document, 'quantities'));
  const operations = createMemo(() => rowsOf(props.document, 'operations'));
  const scopes = createMemo(() => rowsOf(props.document, 'scopes'));
  const balance = createMemo(() => rowsOf(props.document, 'balance'));
  const behind = (rows: Rows<{ readonly a: number; readonly b: number }>) =>
    sideLinks(rows, (row, side) =>
      sideHref(side, 'ops', { 'ops.filter': operationsBehind(rows, row, side) }),
    );
  const ofOperation = createMemo(() => behind(operations()));
  const ofScope = createMemo(() => behind(scopes()));
  const ofQuantity = createMemo(() =>
    sideLinks(quantities(), (row, side) => verbHref(quantities(), row, side)),
  );
  const ofTerm = createMemo(() => sideLinks(balance(), (row, side) => verbHref(balance(), row, side)));
  const inUnit = (name: 'a' | 'b' | 'delta') => (row: Row) =>
    amount(quantities().text(row, 'unit') as Unit, quantities().number(row, name));
  return (
    <>
      <DataTable
        name="balance"
        title="Balance"
        about="where the step goes"
        table={balance().table}
        columns={[
          { name: 'term', link: ofTerm().name },
          { name: 'delta', label: 'change', bar: 'signed' },
          { name: 'a', label: 'before', link: ofTerm().a },
          { name: 'b', label: 'after', link: ofTerm().b },
        ]}
        open={row => follow(ofTerm().name(row))}
      />
      <DataTable
        name="operations"
        title="Operations"
        about="matched by scope and kind, not by name"
        table={operations().table}
        columns={[
          {
            name: 'operation',
            mark: row => <Swatch color={hue(operations().text(row, 'category'))} />,
            link: ofOperation().name,
          },
          { name: 'delta', label: 'change', bar: 'signed' },
          { name: 'a', label: 'before', link: ofOperation().a },
          { name: 'b', label: 'after', link: ofOperation().b },
          { name: 'change', label: 'kind of change' },
          { name: 'category' },
          { name: 'scope', keepEnd: true },
        ]}
        open={row => follow(ofOperation().name(row))}
        maxRows={16}
      />
      <DataTable
        name="scopes"
        title="Scopes"
        table={scopes().table}
        columns={[
          { name: 'scope', link: ofScope().name },
          { name: 'delta', label: 'change', bar: 'signed' },
          { name: 'a', label: 'before', link: ofScope().a },
          { name: 'b', label: 'after', link: ofScope().b },
        ]}
        open={row => follow(ofScope().name(row))}
        maxRows={12}
      />
      <div class="halves">
        <DataTable
          name="quantities"
          title="Other quantities"
          table={quantities().table}
          columns={[
            { name: 'quantity', link: ofQuantity().name },
            { name: 'delta', label: 'change', show: inUnit('delta') },
            { name: 'a', label: 'before', show: inUnit('a'), link: ofQuantity().a },
            { name: 'b', label: 'after', show: inUnit('b'), link: ofQuantity().b },
          ]}
          open={row => follow(ofQuantity().name(row))}
        />
        <DataTable
          name="environment"
          title="Environment"
          table={rowsOf(props.document, 'environment').table}
          columns={[{ name: 'what' }, { name: 'a', label: 'before' }, { name: 'b', label: 'after' }]}
          empty="Versions, options and devices are the same."
        />
      </div>
    </>
  );
}
