// Where the run was captured, and what was lost on the way, in words.
import { For, type JSX, Show } from 'solid-js';
import { type Document, type Loss, rowsOf } from '../../api/document';
import { deviceText } from '../../api/hosts';
import { Section } from '../../app/Page';
import { dateTime } from '../../format/dates';
import { lossText } from '../../format/losses';
import { bytes, count, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

export function Environment(props: { document: Document | undefined; losses: readonly Loss[] }): JSX.Element {
  return (
    <div class="split">
      <div class="column">
        <Section title="What was lost">
          <Show when={props.losses.length > 0} fallback={<p>Nothing was lost.</p>}>
            <ul>
              <For each={props.losses}>{loss => <li>{lossText(loss)}</li>}</For>
            </ul>
          </Show>
        </Section>
        <Show when={props.document}>{document => <Captured document={document()} />}</Show>
      </div>
      <Show when={props.document}>
        {document => (
          <DataTable
            name="capture"
            title="Versions and options"
            table={rowsOf(document(), 'capture').table}
            columns={[{ name: 'name' }, { name: 'value' }, { name: 'kind' }]}
            maxRows={12}
            empty="The profiler wrote no versions or options into this capture."
          />
        )}
      </Show>
    </div>
  );
}

function Captured(props: { document: Document }): JSX.Element {
  const hosts = () => rowsOf(props.document, 'hosts');
  const devices = () => rowsOf(props.document, 'devices');
  return (
    <Section title="Environment">
      <dl class="facts">
        <For each={hosts().all}>
          {row => (
            <>
              <dt>{hosts().text(row, 'host')}</dt>
              <dd>
                {joined(
                  above0(hosts().number(row, 'started'), ns => dateTime(ns / 1e9)),
                  above0(hosts().number(row, 'span'), time),
                  above0(hosts().number(row, 'events'), events) || 'no events',
                  bytes(hosts().number(row, 'size')),
                  hosts().text(row, 'path'),
                )}
              </dd>
            </>
          )}
        </For>
        <For each={devices().all}>
          {row => (
            <>
              <dt>{deviceText(props.document, devices(), row)}</dt>
              <dd>
                {joined(
                  devices().text(row, 'model'),
                  above0(devices().number(row, 'memory'), bytes),
                  above0(devices().number(row, 'events'), events),
                )}
              </dd>
            </>
          )}
        </For>
      </dl>
    </Section>
  );
}

const joined = (...facts: readonly string[]): string => facts.filter(fact => fact !== '').join(' · ');
const events = (n: number): string => `${count(n)} events`;
// Nothing where it is not known or nothing.
const above0 = (n: number | null, show: (n: number) => string): string => (n ? show(n) : '');
