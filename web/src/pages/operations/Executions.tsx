// How long the executions of an operation took, as a histogram.
import { createResource, type JSX, Show } from 'solid-js';
import { getJson, runPath } from '../../api/client';
import { Section } from '../../app/Page';
import { createRunKey } from '../../app/session';
import { noProgram, operationQuery, pageHref, timelineHref, viewQuery } from '../../app/view';
import { Histogram } from '../../charts/Histogram';
import { plural, time } from '../../format/numbers';
import type { Durations, EventRef } from '../../timeline/api';

// `first` is the first slice of the first one.
type ExecutionTimes = Durations & { readonly first: EventRef | null };

// Of the program with that id; empty: of none that the capture has. All slices of an execution count together, its
// memsets too.
export function Executions(props: { name: string; program: string }): JSX.Element {
  const key = createRunKey();
  const [found] = createResource(
    () => {
      const run = key();
      const query = {
        ...viewQuery(),
        name: props.name,
        program_id: props.program || noProgram,
        v: run?.version,
      };
      return run && { path: runPath(run.id, 'executions'), query };
    },
    ({ path, query }) => getJson<ExecutionTimes>(path, query).catch(() => null),
  );
  return (
    <Section title="Executions">
      <div class="keep-histogram">
        <Show when={!found.loading}>
          <Show
            when={found()?.count ? found() : undefined}
            fallback={<p class="muted">None of them begins in this part of the capture.</p>}
          >
            {times => (
              <>
                <Histogram edges={times().histogram.edges} counts={times().histogram.counts} show={time} />
                <p>
                  {plural(times().count, 'execution')}: median {time(times().p50)}, p99 {time(times().p99)},
                  from {time(times().min)} to {time(times().max)}.{' '}
                  <Show when={times().first}>
                    {first => (
                      <>
                        <a
                          href={timelineHref(first().begin, first().duration, {
                            sel: `${first().track}.${first().event}`,
                          })}
                        >
                          first one on the timeline
                        </a>{' '}
                        ·{' '}
                      </>
                    )}
                  </Show>
                  <a href={pageHref('timeline', { q: operationQuery(props.program, props.name) })}>all</a>
                </p>
              </>
            )}
          </Show>
        </Show>
      </div>
    </Section>
  );
}
