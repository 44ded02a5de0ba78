// Device memory profiles beside the run: who holds arrays, and what grows from one to the next.
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, rowsOf } from '../../api/document';
import { hash } from '../../app/colors';
import { Empty, Section } from '../../app/Page';
import { here } from '../../app/places';
import { param, setParams } from '../../app/router';
import { createDocument, currentRun } from '../../app/session';
import { Icicle } from '../../charts/Icicle';
import { treeOfStacks } from '../../charts/tree';
import { bytes, plural } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

export function HeapProfiles(): JSX.Element {
  const there = (): number => currentRun()?.beside['memory profile'] ?? 0;
  const heap = createDocument(
    () => 'heap',
    () => (there() > 0 ? {} : undefined),
  );
  return (
    <Show
      when={there() > 0}
      fallback={
        <Show when={here().choose}>
          <Section title="Device memory profiles">
            <Empty>
              None beside this run. They say which Python line holds which arrays, and what leaks:{' '}
              <code>jax.profiler.save_device_memory_profile("memory.prof")</code> into the folder of the run.
            </Empty>
          </Section>
        </Show>
      }
    >
      <Show when={heap.document()} fallback={<p class="muted">{heap.error()?.message}</p>}>
        {document => <Profiles document={document()} files={there()} />}
      </Show>
    </Show>
  );
}

const hues = ['compute', 'elementwise', 'copies', 'softmax', 'layout', 'reduction', 'host', 'communication'];

function Profiles(props: { document: Document; files: number }): JSX.Element {
  const stacks = createMemo(() => rowsOf(props.document, 'heap_stacks'));
  const diff = createMemo(() => rowsOf(props.document, 'heap_diff'));
  const tree = createMemo(() =>
    treeOfStacks(
      stacks().all.map(row => ({
        frames: stacks().text(row, 'stack').split(' < ').reverse(),
        value: stacks().number(row, 'bytes') ?? 0,
      })),
      'live arrays',
      name => hues[hash(name.replace(/:\d+\)$/, '')) % hues.length]!,
    ),
  );
  return (
    <Section title={`Device memory profiles (${plural(props.files, 'file')})`} hint={props.document.answer}>
      <Icicle
        root={tree()}
        top={param('heap')}
        show={node => bytes(node.value)}
        onPick={node => setParams({ heap: node.key }, 'push')}
        label="live arrays by Python stack"
      />
      <Show when={diff().length > 0}>
        <DataTable
          name="heap_diff"
          title="What grew and shrank"
          about="first to last profile"
          table={diff().table}
          columns={[
            { name: 'site' },
            { name: 'state' },
            { name: 'before' },
            { name: 'after' },
            { name: 'change', bar: true },
            { name: 'per_profile', label: 'a profile' },
            { name: 'leak', label: 'always up' },
            { name: 'caller' },
          ]}
          maxRows={14}
        />
      </Show>
      <DataTable
        name="heap_places"
        title="By line"
        table={rowsOf(props.document, 'heap_places').table}
        columns={[
          { name: 'place' },
          { name: 'flat', bar: true },
          { name: 'share' },
          { name: 'cumulative' },
          { name: 'count' },
        ]}
        maxRows={14}
      />
    </Section>
  );
}
