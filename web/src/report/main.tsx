// The page of `gait report`: the viewer's pages in one column, with the answers in the file itself. Nothing is
// requested from anywhere.
import { createEffect, For, type JSX, on, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { answerWith } from '../api/client';
import { stayWithin } from '../app/places';
import { type Params, route, startRouter, visit } from '../app/router';
import { loadRuns, runs } from '../app/session';
import { choice, nextTheme, printInLight, startTheme } from '../app/theme';
import { viewKeys } from '../app/view';
import type { TrackTree } from '../timeline/api';
import { DiffReport } from './DiffReport';
import { RunReport, runParts } from './RunReport';
import { Recorded } from './recorded';
import 'uplot/dist/uPlot.min.css';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/shell.css';
import '../styles/table.css';
import '../styles/charts.css';
import '../styles/timeline.css';
import './report.css';

function Report(props: { diff: boolean }): JSX.Element {
  const parts = () => (props.diff ? [] : runParts);
  // A link to another part of the report.
  createEffect(
    on(
      () => route().page,
      page => document.getElementById(page)?.scrollIntoView({ block: 'start' }),
      { defer: true },
    ),
  );
  return (
    <main class="report">
      <header>
        <nav aria-label="parts">
          <For each={parts()}>
            {([id, title]) => (
              <button type="button" onClick={() => document.getElementById(id)?.scrollIntoView()}>
                {title}
              </button>
            )}
          </For>
        </nav>
        <button type="button" class="theme" aria-label={`theme: ${choice()}`} onClick={nextTheme}>
          {choice() === 'system' ? '◐' : choice() === 'light' ? '○' : '●'}
        </button>
      </header>
      <p class="of muted">{document.title}</p>
      <Show when={props.diff} fallback={<RunReport />}>
        <DiffReport />
      </Show>
    </main>
  );
}

async function start(): Promise<void> {
  const recorded = await Recorded.unpack(document.getElementById('gait-data')?.textContent ?? '');
  answerWith(recorded.answer);
  await loadRuns();
  const [first, second] = runs()!.runs;
  const spans = new Map(
    runs()!.runs.map(run => [run.id, recorded.json<TrackTree>(`runs/${run.id}/tracks`)?.span ?? [0, 0]]),
  );
  stayWithin({
    docs: false,
    choose: false,
    has: (page, params: Params) =>
      !second && runParts.some(([id]) => id === page) && !viewKeys.some(key => params[key]),
    shows: (run, from, to) => !second && from < spans.get(run)![1]! && to > spans.get(run)![0]!,
  });
  startRouter();
  visit({ run: first!.id, page: second ? 'diff' : 'overview', params: second ? { with: second.id } : {} });
  startTheme();
  printInLight();
  document.getElementById('plain')?.remove();
  render(() => <Report diff={second !== undefined} />, document.getElementById('app')!);
  Object.assign(window, { gaitReport: recorded });
}

start().catch(error => {
  const place = document.getElementById('plain');
  if (place)
    place.textContent = `This report cannot be shown here: ${error instanceof Error ? error.message : error}`;
});
