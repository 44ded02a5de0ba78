// Device memory profiles beside the run: who holds arrays, and what grows from one to the next.
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, rowsOf } from '../../api/document';
import { hash } from '../../app/colors';
import { Empty, Section } from '../../app/Page';
import { here } from '../../app/places';
import { param, setParams } from '../../app/router';
import { createDocument, currentRun } from '../../app/session';
import { Icicle } from '../../charts/Icicle';
import { changeColor, type Node, treeOfStacks } from '../../charts/tree';
import { bytes, plural } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';

export function HeapProfiles(): JSX.Element {
  const there = (): number => currentRun()?.beside.memory ?? 0;
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

// "+768 KiB (256 KiB → 1 MiB)"
const changeText = (node: Node): string => {
  const before = node.before ?? 0;
  const after = node.after ?? 0;
  const change = after - before;
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±';
  return `${sign}${bytes(Math.abs(change))} (${bytes(before)} → ${bytes(after)})`;
};

const framesOf = (stack: string): string[] => stack.split(' < ').reverse();
const hueOf = (name: string): string => hues[hash(name.replace(/:\d+\)$/, '')) % hues.length]!;

function Profiles(props: { document: Document; files: number }): JSX.Element {
  const stacks = createMemo(() => rowsOf(props.document, 'heap_stacks'));
  const diff = createMemo(() => rowsOf(props.document, 'heap_diff'));
  const difference = (): boolean => diff().length > 0 && param('heap.of') === 'difference';
  const tree = createMemo(() =>
    difference()
      ? treeOfStacks(
          diff().all.map(row => ({
            frames: framesOf(diff().text(row, 'stack')),
            value: diff().number(row, 'after') ?? 0,
            before: diff().number(row, 'before') ?? 0,
          })),
          'first to last profile',
          hueOf,
        )
      : treeOfStacks(
          stacks().all.map(row => ({
            frames: framesOf(stacks().text(row, 'stack')),
            value: stacks().number(row, 'bytes') ?? 0,
          })),
          'live arrays',
          hueOf,
        ),
  );
  const choose = (of: string): void => setParams({ 'heap.of': of, heap: '' }, 'push');
  return (
    <Section title={`Device memory profiles (${plural(props.files, 'file')})`} hint={props.document.answer}>
      <Show when={diff().length > 0}>
        <div class="tabs" role="group" aria-label="which profiles">
          <button type="button" aria-pressed={!difference()} onClick={() => choose('')}>
            last profile
          </button>
          <button type="button" aria-pressed={difference()} onClick={() => choose('difference')}>
            difference of the last to the first
          </button>
          <Show when={difference()}>
            <span class="key grown">grew</span>
            <span class="key shrunk">shrank</span>
            <span class="key idle">as before</span>
          </Show>
        </div>
      </Show>
      <Icicle
        root={tree()}
        top={param('heap')}
        show={difference() ? changeText : node => bytes(node.value)}
        {...(difference() ? { colorOf: changeColor } : {})}
        onPick={node => setParams({ heap: node.key }, 'push')}
        label={difference() ? 'change of live arrays by Python stack' : 'live arrays by Python stack'}
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
