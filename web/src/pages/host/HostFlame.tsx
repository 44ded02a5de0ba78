// The main thread's calls as a flame graph: Python functions where the Python tracer was on, else annotations
// and calls of the runtime.
import { createMemo, createResource, type JSX, Show } from 'solid-js';
import { getDocument, runPath } from '../../api/client';
import { type Document, rowsOf } from '../../api/document';
import { hash } from '../../app/colors';
import { Section } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { createRunKey } from '../../app/session';
import { Icicle } from '../../charts/Icicle';
import { buildTree } from '../../charts/tree';
import { time } from '../../format/numbers';
import { getTracks, leaves } from '../../timeline/api';

const hues = ['host', 'elementwise', 'layout', 'copies', 'softmax', 'communication'];

export function HostFlame(props: { document: Document }): JSX.Element {
  const key = createRunKey();
  const mainThread = createMemo(() => {
    const threads = rowsOf(props.document, 'host_threads');
    return threads.text(threads.find('main', 'main') ?? threads.all[0], 'thread');
  });
  const [flame] = createResource(
    () => (key() && mainThread() ? { ...key()!, thread: mainThread() } : undefined),
    async ({ id, version, thread }) => {
      const tree = await getTracks(id, version, false).catch(() => undefined);
      const track = leaves(tree?.tree ?? []).find(
        leaf => leaf.type === 'thread' && leaf.title.startsWith(thread),
      );
      if (!track) return undefined;
      return getDocument(runPath(id, 'flame'), { tracks: track.track, v: version }).catch(() => undefined);
    },
  );
  const rows = createMemo(() => rowsOf(flame(), 'flame'));
  const tree = createMemo(() =>
    buildTree(
      rows().all.map(row => ({
        name: rows().text(row, 'name'),
        depth: rows().number(row, 'depth') ?? 0,
        value: rows().number(row, 'total') ?? 0,
        color: hues[hash(fileOf(rows().text(row, 'name'))) % hues.length]!,
      })),
      mainThread(),
    ),
  );
  return (
    <Show when={rows().length > 0}>
      <Section
        title={`Flame graph of ${mainThread()}`}
        hint="Time of the whole capture; colours by file. A click looks into a call."
      >
        <Icicle
          root={tree()}
          top={param('flame')}
          show={node => time(node.value)}
          onPick={node => setParams({ flame: node.key }, 'push')}
          label="calls of the main thread"
        />
      </Section>
    </Show>
  );
}

// "$train.py:78 step" is coloured with everything else of train.py.
const fileOf = (name: string): string => /^\$?([^ :]+\.py):/.exec(name)?.[1] ?? name.replace(/[\d(<].*$/, '');
