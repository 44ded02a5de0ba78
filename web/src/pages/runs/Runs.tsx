// The log directory as a list. Figures of a run come when its row is in sight, one run after the other.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import type { Row } from '../../api/document';
import type { Run, Summary } from '../../api/runs';
import { Problem } from '../../app/Page';
import { go, href, param, setParams } from '../../app/router';
import { runs, runsError } from '../../app/session';
import { fillSummaries } from '../../app/summaries';
import { Spark } from '../../charts/Spark';
import { dateTime } from '../../format/dates';
import { bytes, count, percent, plural, time, unknown } from '../../format/numbers';
import { ExportButtons } from '../../table/ExportButtons';
import { filterRows, parseFilter } from '../../table/filter';
import { words } from '../../table/layout';
import { formatSort, parseSort, sortRows } from '../../table/order';

import { devicesOf, type Figures, runTable } from './figures';

export function Runs(): JSX.Element {
  const [picked, setPicked] = createSignal<readonly string[]>([]); // at most two, the older one first
  const [summaries, setSummaries] = createSignal<Figures>(new Map());
  const all = (): readonly Run[] => runs()?.runs ?? [];
  const table = createMemo(() => runTable(all(), summaries()));
  // A run's words are also those that its pages say of it.
  const filter = createMemo(() => {
    const contexts = new Map(table().rows.map((row, i) => [row, summaries().get(all()[i]!.id)]));
    const texts = (row: Row): string[] => {
      const summary = contexts.get(row);
      return typeof summary === 'object' ? [summary.context] : [];
    };
    return parseFilter(table().columns, param('filter'), { texts });
  });
  const order = createMemo(() => sortRows(table(), filterRows(table(), filter()), parseSort(param('sort'))));
  const ordered = createMemo(() => order().map(i => all()[i]!));
  const pick = (id: string, on: boolean): void => {
    const kept = picked().filter(other => other !== id);
    const all = runs()?.runs.map(run => run.id) ?? [];
    // The list has the newest first.
    setPicked(on ? [...kept.slice(-1), id].sort((a, b) => all.indexOf(b) - all.indexOf(a)) : kept);
  };
  fillSummaries(
    () => runs()?.runs ?? [],
    (run, summary) => setSummaries(now => new Map(now).set(run.id, summary)),
  );
  return (
    <Show
      when={runs()}
      fallback={
        <Show when={runsError()} fallback={<div class="waiting">Looking for runs…</div>}>
          {error => <Problem what={error().message} hint={error().hint} />}
        </Show>
      }
    >
      {list => (
        <Show when={!list().empty} fallback={<Problem what={list().empty!.what} hint={list().empty!.hint} />}>
          <div class="page">
            <div>
              <h1 class="answer">
                {plural(list().runs.length, 'run')} below {list().directory}, newest first.
              </h1>
              <ul class="notes">
                <For each={list().notes}>{note => <li>{note}</li>}</For>
              </ul>
            </div>
            <div>
              <div class="tabs">
                <input
                  type="search"
                  placeholder="filter"
                  title="words that a run must hold; busy<50 and host:vm look into one column"
                  aria-label="filter runs"
                  value={param('filter')}
                  onInput={event => setParams({ filter: event.currentTarget.value })}
                />
                <ExportButtons
                  name="runs"
                  columns={table().columns}
                  rows={() => order().map(i => table().rows[i]!)}
                />
              </div>
              <Show when={picked().length > 0}>
                <span class="muted picked">
                  <Show when={picked().length === 2} fallback="pick a second run to compare">
                    <a href={href('diff', { with: picked()[1]! }, picked()[0]!)}>
                      compare the two picked runs
                    </a>
                  </Show>
                </span>
              </Show>
              <div class="scroll">
                <table class="runs">
                  <thead>
                    <tr>
                      <th>
                        <span class="unseen">pick</span>
                      </th>
                      <Head column="run" />
                      <Head column="when" largestFirst />
                      <Head column="host" class="wide" />
                      <Head column="devices" />
                      <Head column="steps" class="number wide" largestFirst />
                      <Head column="median_step" class="number" largestFirst />
                      <th>step by step</th>
                      <Head column="busy" class="number" largestFirst />
                      <Head column="size" class="number wide" largestFirst />
                      <Head column="in_short" class="wide" />
                    </tr>
                  </thead>
                  <tbody>
                    <For each={ordered()}>
                      {run => (
                        <RunRow
                          run={run}
                          summary={summaries().get(run.id)}
                          picked={picked().includes(run.id)}
                          pick={on => pick(run.id, on)}
                        />
                      )}
                    </For>
                  </tbody>
                </table>
              </div>
              <Show when={ordered().length === 0}>
                <p class="muted">{filter().problem ?? `No run passes the filter “${param('filter')}”.`}</p>
              </Show>
            </div>
          </div>
        </Show>
      )}
    </Show>
  );
}

// Sorts by a column, then the other way round, then as it was: the newest first.
function Head(props: { column: string; class?: string; largestFirst?: boolean }): JSX.Element {
  const sort = () => parseSort(param('sort'));
  const isSorted = (): boolean => sort()?.column === props.column;
  const first = (): boolean => props.largestFirst ?? false;
  const next = (): string => {
    if (!isSorted()) return formatSort({ column: props.column, descending: first() });
    const turned = sort()!.descending !== first();
    return turned ? '' : formatSort({ column: props.column, descending: !first() });
  };
  const way = (): 'none' | 'ascending' | 'descending' =>
    !isSorted() ? 'none' : sort()!.descending ? 'descending' : 'ascending';
  return (
    <th class={props.class} aria-sort={way()}>
      <button type="button" onClick={() => setParams({ sort: next() })}>
        {words(props.column)}
        <span aria-hidden="true">{way() === 'none' ? '' : way() === 'descending' ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
  );
}

interface RunRowProps {
  readonly run: Run;
  readonly summary: Summary | string | undefined;
  readonly picked: boolean;
  readonly pick: (on: boolean) => void;
}

function RunRow(props: RunRowProps): JSX.Element {
  const summary = (): Summary | undefined => (typeof props.summary === 'object' ? props.summary : undefined);
  // Empty while it is being worked out, and unknown where that failed.
  const figure = (text: string): string => (props.summary === undefined ? '' : text);
  const address = (): string => href('overview', {}, props.run.id);
  const inShort = (): JSX.Element => (
    <>
      <Show when={typeof props.summary === 'string'}>
        <span class="alert">{props.summary as string}</span>
      </Show>
      {summary()?.headline ?? summary()?.answer}
    </>
  );
  const hosts = (): string =>
    props.run.hosts.length > 2 ? `${props.run.hosts.length} hosts` : props.run.hosts.join(', ');
  // What the columns have that a narrow window leaves out.
  const facts = (): string => {
    const steps = summary()?.steps;
    return [hosts(), steps ? plural(steps, 'step') : '', bytes(props.run.bytes)].filter(Boolean).join(' · ');
  };
  const open = (event: MouseEvent): void => {
    if (!(event.target as Element).closest('a, input'))
      go({ run: props.run.id, page: 'overview', params: {} });
  };
  return (
    <tr id={`run-${props.run.id}`} onClick={open}>
      <td>
        <input
          type="checkbox"
          aria-label={`pick ${props.run.label} to compare`}
          checked={props.picked}
          onChange={event => props.pick(event.currentTarget.checked)}
        />
      </td>
      <td class="name">
        <a href={address()}>{props.run.label}</a>
        <div class="short below">
          {facts()} · {inShort()}
        </div>
      </td>
      <td title={`from the ${props.run.time_from}`}>{dateTime(props.run.time_s) || '–'}</td>
      <td class="wide">{hosts()}</td>
      <td>{devicesOf(props.run, summary()) ?? unknown}</td>
      <td class="number wide">{figure(count(summary()?.steps))}</td>
      <td class="number" title={summary()?.inferred ? 'steps are inferred from the programs' : ''}>
        {figure(time(summary()?.step_median_ps))}
      </td>
      <td>
        <Show when={(summary()?.step_ps.length ?? 0) > 1} fallback={figure(unknown)}>
          <Spark values={summary()!.step_ps} label={`${summary()!.step_ps.length} step times, from 0 up`} />
        </Show>
      </td>
      <td class="number">{figure(percent(summary()?.device_busy_percent))}</td>
      <td class="number wide">{bytes(props.run.bytes)}</td>
      <td class="short wide">{inShort()}</td>
    </tr>
  );
}
