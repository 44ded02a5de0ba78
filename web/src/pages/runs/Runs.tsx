// The log directory as a list. Figures of a run come when its row is in sight, one run after the other.
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { getSummary, type Run, type Summary } from '../../api/runs';
import { Problem } from '../../app/Page';
import { go, href, param, setParams } from '../../app/router';
import { runs, runsError } from '../../app/session';
import { Spark } from '../../charts/Spark';
import { dateTime } from '../../format/dates';
import { bytes, count, percent, plural, time } from '../../format/numbers';

export function Runs(): JSX.Element {
  const [picked, setPicked] = createSignal<readonly string[]>([]); // at most two, the older one first
  const [summaries, setSummaries] = createSignal<ReadonlyMap<string, Summary | string>>(new Map());
  const shown = createMemo(() => {
    const words = param('filter').toLowerCase().split(/\s+/);
    return (runs()?.runs ?? []).filter(run => {
      const summary = summaries().get(run.id);
      const text = `${run.label} ${run.hosts.join(' ')} ${run.devices ?? ''} ${typeof summary === 'object' ? summary.context : ''}`;
      return words.every(word => text.toLowerCase().includes(word));
    });
  });
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
              <input
                type="search"
                placeholder="filter"
                aria-label="filter runs"
                value={param('filter')}
                onInput={event => setParams({ filter: event.currentTarget.value })}
              />
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
                      <th>run</th>
                      <th>when</th>
                      <th class="wide">host</th>
                      <th>devices</th>
                      <th class="number wide">steps</th>
                      <th class="number">median step</th>
                      <th>step by step</th>
                      <th class="number">busy</th>
                      <th class="number wide">size</th>
                      <th class="wide">in short</th>
                    </tr>
                  </thead>
                  <tbody>
                    <For each={shown()}>
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
              <Show when={shown().length === 0}>
                <p class="muted">No run passes the filter “{param('filter')}”.</p>
              </Show>
            </div>
          </div>
        </Show>
      )}
    </Show>
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
  const address = (): string => href('overview', {}, props.run.id);
  const inShort = (): JSX.Element => (
    <>
      <Show when={typeof props.summary === 'string'}>
        <span class="alert">{props.summary as string}</span>
      </Show>
      {summary()?.headline ?? summary()?.answer}
    </>
  );
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
        <div class="short below">{inShort()}</div>
      </td>
      <td title={`from the ${props.run.time_from}`}>{dateTime(props.run.time_s) || '–'}</td>
      <td class="wide">
        {props.run.hosts.length > 2 ? `${props.run.hosts.length} hosts` : props.run.hosts.join(', ')}
      </td>
      <td>
        {summary()?.device_model
          ? `${count(summary()!.devices)} × ${summary()!.device_model}`
          : (known(props.run.devices) ?? '–')}
      </td>
      <td class="number wide">{summary() ? count(summary()!.steps) : ''}</td>
      <td class="number" title={summary()?.inferred ? 'steps are inferred from the programs' : ''}>
        {summary() ? time(summary()!.step_median_ps) : ''}
      </td>
      <td>
        <Show when={(summary()?.step_ps.length ?? 0) > 1}>
          <Spark values={summary()!.step_ps} label={`${summary()!.step_ps.length} step times, from 0 up`} />
        </Show>
      </td>
      <td class="number">{summary() ? percent(summary()!.device_busy_percent) : ''}</td>
      <td class="number wide">{bytes(props.run.bytes)}</td>
      <td class="short wide">{inShort()}</td>
    </tr>
  );
}

// An error names the file first; the row is about it anyway.
const withoutPath = (message: string): string => message.replace(/^[^:]*\/[^:]*: /, '');

// A compressed file does not say before it is read.
const known = (devices: string | null): string | null => (devices === 'compressed' ? null : devices);

// Asks for the figures of the runs in sight, once per version, in the order of the list.
function fillSummaries(list: () => readonly Run[], set: (run: Run, summary: Summary | string) => void): void {
  const asked = new Set<string>();
  const isInSight = (run: Run): boolean => {
    const row = document.getElementById(`run-${run.id}`)?.getBoundingClientRect();
    return row !== undefined && row.bottom > 0 && row.top < innerHeight;
  };
  const stop = new AbortController();
  let busy = false;
  const next = async (): Promise<void> => {
    const run = list().find(
      candidate => !asked.has(`${candidate.id}@${candidate.version}`) && isInSight(candidate),
    );
    if (!run || busy || stop.signal.aborted) return;
    busy = true;
    asked.add(`${run.id}@${run.version}`);
    try {
      set(run, await getSummary(run, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) set(run, withoutPath(error instanceof Error ? error.message : String(error)));
    }
    busy = false;
    void next();
  };
  createEffect(() => {
    list();
    requestAnimationFrame(() => void next());
  });
  const onScroll = (): void => void next();
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  onCleanup(() => {
    stop.abort();
    removeEventListener('scroll', onScroll, { capture: true });
  });
}
