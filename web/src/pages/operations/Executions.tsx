// How long the executions of an operation took, as a histogram; from the timeline's search and event routes.
import { createResource, type JSX, Show } from 'solid-js';
import { getJson, runPath } from '../../api/client';
import { Section } from '../../app/Page';
import { createRunKey } from '../../app/session';
import { pageHref, timelineHref } from '../../app/view';
import { Histogram } from '../../charts/Histogram';
import { plural, time } from '../../format/numbers';
import { type EventDetail, getNames, type SearchResult } from '../../timeline/api';

// One execution of the operation, with the statistics of all of them.
async function findExecutions(run: string, version: string, operation: string): Promise<EventDetail | null> {
  const id = (await getNames(run, version)).idOfOperation(operation);
  if (id < 0) return null;
  const query = { name_id: id, limit: 1, v: version };
  const match = (await getJson<SearchResult>(runPath(run, 'search'), query)).matches[0];
  if (!match) return null;
  const at = { track: match.track, event: match.event, by: 'operation', v: version };
  return getJson<EventDetail>(runPath(run, 'event'), at);
}

export function Executions(props: { name: string }): JSX.Element {
  const key = createRunKey();
  const [detail] = createResource(
    () => (key() ? { ...key()!, name: props.name } : undefined),
    ({ id, version, name }) => findExecutions(id, version, name).catch(() => null),
  );
  return (
    <Section title="Executions">
      <div class="keep-histogram">
        <Show when={!detail.loading}>
          <Show
            when={detail()}
            fallback={<p class="muted">Its executions cannot be told apart in this capture.</p>}
          >
            {event => (
              <>
                <Histogram
                  edges={event().same.histogram.edges}
                  counts={event().same.histogram.counts}
                  show={time}
                />
                <p>
                  {plural(event().same.count, 'execution')} in the whole capture: median{' '}
                  {time(event().same.p50)}, p99 {time(event().same.p99)}, from {time(event().same.min)} to{' '}
                  {time(event().same.max)}.{' '}
                  <a
                    href={timelineHref(event().begin, event().duration, {
                      sel: `${event().track}.${event().event}`,
                    })}
                  >
                    first one on the timeline
                  </a>{' '}
                  · <a href={pageHref('timeline', { q: props.name })}>all</a>
                </p>
              </>
            )}
          </Show>
        </Show>
      </div>
    </Section>
  );
}
