import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../../api/document';
import { programText, sharedNames } from '../../api/programs';
import { BalanceBar } from '../../app/BalanceBar';
import { causeColor } from '../../app/causes';
import { hue } from '../../app/colors';
import { Empty, Page, Section } from '../../app/Page';
import { follow } from '../../app/router';
import { createDocument, type Loaded } from '../../app/session';
import { deviceHref, deviceSliceHref, operationHref, pageHref, viewQuery } from '../../app/view';
import { BarList } from '../../charts/BarList';
import { StackedBars } from '../../charts/StackedBars';
import { chooseStyle, formatNumber, percents, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { Cards } from './Cards';
import { Environment } from './Environment';
import { stepBars } from './parts';
import { TopFindings } from './TopFindings';

// Without steps the same columns hold what it takes in all.
const hasSteps = (document: Document): boolean => {
  const rows = rowsOf(document, 'overview');
  return rows.cell(rows.find('quantity', 'step'), 'value') !== null;
};

const didAnything = (document: Document): boolean => rowsOf(document, 'where').length > 0;

// `brief`: without what is not about the steps.
export function Overview(props: { brief?: boolean }): JSX.Element {
  const overview = createDocument(() => 'overview', viewQuery);
  const steps = createDocument(() => 'steps', viewQuery);
  const idle = createDocument(() => 'idle', viewQuery);
  const roofline = createDocument(
    () => 'roofline',
    () => ({ ...viewQuery(), table: 'step' }),
  );
  const info = createDocument(() => 'info');
  // What these add is as high as its words are: all of it comes at once, so that nothing has to make room.
  const isThere = (part: Loaded): boolean => part.document() !== undefined || part.error() !== undefined;
  const together: Loaded = {
    document: () => ([steps, idle, roofline].every(isThere) ? overview.document() : undefined),
    error: overview.error,
  };
  return (
    <Page of={together}>
      {document => (
        <>
          <Cards document={document()} roofline={roofline.document()} />
          <div class="split">
            <div class="column">
              <Steps steps={steps.document()} idle={idle.document()} />
              <Show when={didAnything(document())}>
                <div class="later">
                  <Scopes document={document()} />
                </div>
              </Show>
            </div>
            <div class="column">
              <BalanceBar document={document()} here="overview" />
              <Show when={!props.brief}>
                <TopFindings />
              </Show>
              <Show when={didAnything(document())}>
                <Where document={document()} />
                <div class="later">
                  <TopOperations document={document()} />
                </div>
              </Show>
            </div>
          </div>
          <Show when={rowsOf(document(), 'devices').length > 1}>
            <Devices document={document()} />
          </Show>
          <Show when={!props.brief}>
            <Environment document={info.document()} losses={document().losses} />
          </Show>
        </>
      )}
    </Page>
  );
}

interface StepsProps {
  readonly steps: Document | undefined;
  readonly idle: Document | undefined;
}

function Steps(props: StepsProps): JSX.Element {
  const bars = createMemo(() => props.steps && stepBars(props.steps, props.idle));
  const places = createMemo(() => rowsOf(props.steps, 'step_devices'));
  const open = (index: number): void => {
    const shown = bars()!;
    const place = places().all.find(
      other =>
        places().text(other, 'step') === shown.steps[index] &&
        places().text(other, 'series') === shown.series,
    );
    if (place)
      follow(
        deviceSliceHref(
          'steps',
          places(),
          place,
          places().number(place, 'begin'),
          places().number(place, 'step_time'),
        ),
      );
  };
  // Steps may be annotated and have no device work; then there is no time to draw.
  const isEmpty = (): boolean =>
    bars()?.parts.every(part => part.values.every(value => value === 0)) ?? false;
  const notCounted = (): string => {
    const [first, ...rest] = bars()?.uncounted ?? [];
    if (!first) return '';
    const length = bars()!.parts.reduce((sum, part) => sum + part.values[first[0]]!, 0);
    const about = [first[1], time(length)].filter(text => text !== '').join(', ');
    const more = rest.length > 0 ? ` and ${rest.length} more are` : ' is';
    return ` Pale: step ${bars()!.steps[first[0]]} (${about})${more} not counted in any mean.`;
  };
  return (
    <Section
      docs="metrics/step_time"
      title={`Step time${bars()?.of ? `, ${bars()!.of}` : ''}`}
      hint={
        isEmpty()
          ? undefined
          : `Stacked by what the device did; a click goes to the step on the timeline.${notCounted()}`
      }
    >
      <div classList={{ 'keep-steps': !isEmpty() }}>
        <Show when={bars()}>
          {shown => (
            <Show
              when={!isEmpty()}
              fallback={
                <Empty>
                  <Show
                    when={shown().steps.length === 0}
                    fallback="Steps are annotated, but no device work belongs to one: the capture does not say which launch a kernel comes from, or the steps launch nothing."
                  >
                    No steps in this capture: nothing is annotated and no program repeats. Put{' '}
                    <code>with gait.step(i):</code> or{' '}
                    <code>jax.profiler.StepTraceAnnotation("train", step_num=i)</code> around a step.
                  </Show>
                </Empty>
              }
            >
              <StackedBars
                label="time of each step, stacked by compute, communication, copies and idle time"
                names={shown().steps}
                faint={new Set(shown().uncounted.keys())}
                nameOf="step"
                parts={shown().parts}
                unit="ps"
                height={250}
                onPick={open}
              />
            </Show>
          )}
        </Show>
      </div>
    </Section>
  );
}

function Where(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'where');
  const style = () => chooseStyle('ps', true, rows().numbers('per_step'));
  const whole = (): number =>
    rows().all.reduce(
      (sum, row) => sum + (rows().number(row, 'depth') === 0 ? (rows().number(row, 'per_step') ?? 0) : 0),
      0,
    );
  // The categories or the cause that a part of a part sums.
  const heldBy = (row: Row): string => ((rows().cell(row, 'holds') ?? []) as readonly string[]).join('|');
  const target = (row: Row): string => {
    const holds = heldBy(row);
    const verb = rows().text(row, 'verb');
    if (holds === '') return pageHref(verb);
    return pageHref(verb, verb === 'idle' ? { cause: holds } : { 'ops.filter': `category="${holds}"` });
  };
  return (
    <Section
      docs="metrics/time_partition"
      title={
        hasSteps(props.document)
          ? `Where a step goes (${style().unit}, share of the step)`
          : `Where the time goes (${style().unit} in all, share of it)`
      }
      hint={
        hasSteps(props.document)
          ? `Means over devices and counted steps; ${time(whole())} in all.`
          : undefined
      }
    >
      <BarList
        label="where the time goes"
        items={rows().all.map(row => {
          const part = rows().text(row, 'part');
          const depth = rows().number(row, 'depth') ?? 0;
          return {
            name: part,
            amount: formatNumber(style(), rows().number(row, 'per_step')),
            share: percents(rows().numbers('share'))(rows().number(row, 'share')),
            value: rows().number(row, 'per_step') ?? 0,
            color: rows().text(row, 'verb') === 'idle' ? causeColor(heldBy(row)) : hue(part),
            level: depth,
            href: (rows().number(row, 'per_step') ?? 0) > 0 ? target(row) : undefined,
          };
        })}
      />
    </Section>
  );
}

function TopOperations(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'top_operations');
  const style = () => chooseStyle('ps', true, rows().numbers('per_step'));
  return (
    <Section
      title={`Top operations (${style().unit} ${hasSteps(props.document) ? 'a step' : 'in all'}, share of the busy time)`}
    >
      <BarList
        label="operations with the most time"
        items={rows().all.map(row => ({
          name: sharedNames(rows(), 'operation').has(rows().text(row, 'operation'))
            ? `${rows().text(row, 'operation')} of ${programText(rows(), row)}`
            : rows().text(row, 'operation'),
          title: [
            ...(['operation', 'category', 'scope'] as const).map(column => rows().text(row, column)),
            programText(rows(), row),
          ]
            .filter(text => text !== '')
            .join(' · '),
          amount: formatNumber(style(), rows().number(row, 'per_step')),
          share: percents(rows().numbers('share'))(rows().number(row, 'share')),
          value: rows().number(row, 'per_step') ?? 0,
          color: hue(rows().text(row, 'category')),
          href: operationHref(rows().text(row, 'program_id'), rows().text(row, 'operation')),
        }))}
      />
      <p>
        <a href={pageHref('ops')}>all operations</a>
      </p>
    </Section>
  );
}

function Scopes(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'scopes');
  return (
    <DataTable
      name="scopes"
      title="By scope"
      table={rows().table}
      columns={[
        {
          name: 'scope',
          link: row => pageHref('ops', { by: 'layer', 'ops.filter': lastPart(rows().text(row, 'scope')) }),
        },
        { name: 'per_step', label: hasSteps(props.document) ? 'a step' : 'in all' },
        { name: 'share', label: 'of busy', about: "of the devices' busy time", bar: true },
        { name: 'forward', partOf: 'per_step' },
        { name: 'backward', partOf: 'per_step' },
        { name: 'layers', label: '×', about: 'how many scopes the row stands for' },
        { name: 'bound', label: 'bound by' },
      ]}
      empty="No operation has a scope in this capture. Scopes come from jax.named_scope and from modules of Flax and the like."
    />
  );
}

// Operations by layer have a row of this name. "(no scope)" is one.
const lastPart = (scope: string): string =>
  `name="${scope.startsWith('(') ? scope : (scope.split('/').at(-1) ?? '')}"`;

function Devices(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'devices');
  return (
    <DataTable
      name="devices"
      title="Devices"
      table={rows().table}
      columns={[
        { name: 'device', link: row => deviceHref(props.document, rows(), row) },
        { name: 'host' },
        { name: 'window', label: hasSteps(props.document) ? 'step' : 'time' },
        { name: 'compute', partOf: 'window' },
        { name: 'exposed_communication', partOf: 'window' },
        { name: 'exposed_copies', partOf: 'window' },
        ...(rows().sum('unknown') > 0
          ? [{ name: 'unknown', partOf: 'window', about: 'only kernels of no program ran' } as const]
          : []),
        { name: 'idle', partOf: 'window' },
        { name: 'busy', bar: true },
      ]}
    />
  );
}
