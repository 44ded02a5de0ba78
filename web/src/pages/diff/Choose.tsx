// Which run to compare with: those that can be read, with what tells them apart.
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { Summary } from '../../api/runs';
import { Empty } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { currentRun, readableRuns, runs } from '../../app/session';
import { fillSummaries } from '../../app/summaries';
import { dateTime } from '../../format/dates';
import { time } from '../../format/numbers';

export function Choose(): JSX.Element {
  const others = () => readableRuns().filter(run => run.id !== currentRun()?.id);
  const [summaries, setSummaries] = createSignal<ReadonlyMap<string, Summary | string>>(new Map());
  fillSummaries(others, (run, summary) => setSummaries(now => new Map(now).set(run.id, summary)));
  const step = (id: string): string => {
    const summary = summaries().get(id);
    if (typeof summary === 'string') return summary;
    return summary?.step_median_ps ? `${time(summary.step_median_ps)} a step` : (summary?.answer ?? '');
  };
  return (
    <div class="page">
      <h1 class="answer">Compare {currentRun()?.label} with which run?</h1>
      <Show when={param('with')}>
        <p class="alert" role="alert">
          The other run of this link is not below {runs()?.directory}: it was deleted, or gait was started
          with another directory.
        </p>
      </Show>
      <Show
        when={others().length > 0}
        fallback={<Empty>There is no other run below {runs()?.directory}.</Empty>}
      >
        <ul class="plain choose-run">
          <For each={others()}>
            {run => (
              <li id={`run-${run.id}`}>
                <button
                  type="button"
                  class="link"
                  disabled={typeof summaries().get(run.id) === 'string'}
                  onClick={() => setParams({ with: run.id }, 'push')}
                >
                  {run.label}
                </button>
                <span class="muted">{dateTime(run.time_s)}</span>
                <span class="muted" classList={{ time: typeof summaries().get(run.id) !== 'string' }}>
                  {step(run.id)}
                </span>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
