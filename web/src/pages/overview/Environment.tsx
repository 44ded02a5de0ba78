// Where the run was captured, and what was lost on the way, in words.
import { For, type JSX, Show } from 'solid-js';
import { type Document, type Loss, rowsOf } from '../../api/document';
import { Section } from '../../app/Page';
import { bytes, count, plural, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

export function Environment(props: { document: Document | undefined; losses: readonly Loss[] }): JSX.Element {
  return (
    <>
      <Section title="What was lost">
        <Show when={props.losses.length > 0} fallback={<p>Nothing was lost.</p>}>
          <ul>
            <For each={props.losses}>
              {loss => (
                <li>
                  {loss.reason}: {loss.place} ({plural(loss.count, 'time')}, {loss.kind})
                </li>
              )}
            </For>
          </ul>
        </Show>
      </Section>
      <Show when={props.document}>{document => <Captured document={document()} />}</Show>
    </>
  );
}

function Captured(props: { document: Document }): JSX.Element {
  const hosts = () => rowsOf(props.document, 'hosts');
  const devices = () => rowsOf(props.document, 'devices');
  return (
    <Section title="Environment">
      <div class="halves">
        <dl class="facts">
          <For each={hosts().all}>
            {row => (
              <>
                <dt>{hosts().text(row, 'host')}</dt>
                <dd>
                  {hosts().text(row, 'started')} · {time(hosts().number(row, 'span'))} ·{' '}
                  {count(hosts().number(row, 'events'))} events · {bytes(hosts().number(row, 'size'))} ·{' '}
                  {hosts().text(row, 'path')}
                </dd>
              </>
            )}
          </For>
          <For each={devices().all}>
            {row => (
              <>
                <dt>{devices().text(row, 'device')}</dt>
                <dd>
                  {[
                    devices().text(row, 'model'),
                    known(bytes(devices().number(row, 'memory'))),
                    known(`${count(devices().number(row, 'events'))} events`),
                  ]
                    .filter(text => text)
                    .join(' · ')}
                </dd>
              </>
            )}
          </For>
        </dl>
        <DataTable
          name="capture"
          title="Versions and options"
          table={rowsOf(props.document, 'capture').table}
          columns={[{ name: 'name' }, { name: 'value' }, { name: 'kind' }]}
          maxRows={12}
          empty="The profiler wrote no versions or options into this capture."
        />
      </div>
    </Section>
  );
}

const known = (text: string): string => (text === '–' ? '' : text);
