// The calls of a host's main thread as a flame graph: Python functions where the Python tracer was on, else
// annotations and calls of the runtime.
import { type Accessor, createMemo, createResource, type JSX, Show } from 'solid-js';
import { getDocument, runPath } from '../../api/client';
import { type Document, rowsOf } from '../../api/document';
import { hash } from '../../app/colors';
import { Section } from '../../app/Page';
import { param, setParams } from '../../app/router';
import { createRunKey } from '../../app/session';
import { Icicle } from '../../charts/Icicle';
import { buildTree } from '../../charts/tree';
import { time } from '../../format/numbers';
import { getTracks, threadTrack } from '../../timeline/api';

const hues = ['host', 'elementwise', 'layout', 'copies', 'softmax', 'communication'];

export interface Flame {
  readonly thread: string;
  readonly host: string;
  readonly document: Document | undefined;
}

// Undefined as long as it is not known whether there is one.
export function createFlame(of: Accessor<Document | undefined>): Accessor<Flame | undefined> {
  const key = createRunKey();
  const threads = createMemo(() => rowsOf(of(), 'host_threads'));
  const source = createMemo(() => {
    const run = key();
    const row = threads().find('main', 'main') ?? threads().all[0];
    if (!run || !of()) return undefined;
    return JSON.stringify({
      ...run,
      thread: threads().text(row, 'thread'),
      ordinal: threads().text(row, 'ordinal'),
      host: threads().text(row, 'host'),
    });
  });
  const [flame] = createResource(source, async (text): Promise<Flame> => {
    const { id, version, thread, ordinal, host } = JSON.parse(text) as Record<string, string>;
    const tree = await getTracks(id!, version!, false).catch(() => undefined);
    const track = threadTrack(tree?.tree ?? [], host!, thread!, Number(ordinal));
    const document = track
      ? await getDocument(runPath(id!, 'flame'), { tracks: track.track, v: version }).catch(() => undefined)
      : undefined;
    return { thread: thread!, host: host!, document };
  });
  return () => flame.latest;
}

export function HostFlame(props: { flame: Flame; several: boolean }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.flame.document, 'flame'));
  const tree = createMemo(() =>
    buildTree(
      rows().all.map(row => ({
        name: rows().text(row, 'name'),
        depth: rows().number(row, 'depth') ?? 0,
        value: rows().number(row, 'total') ?? 0,
        color: hues[hash(fileOf(rows().text(row, 'name'))) % hues.length]!,
      })),
      props.flame.thread,
    ),
  );
  const hasFiles = (): boolean => rows().all.some(row => pythonFile.test(rows().text(row, 'name')));
  return (
    <Show when={rows().length > 0}>
      <Section
        title={`Flame graph of ${props.flame.thread}${props.several ? ` of ${props.flame.host}` : ''}`}
        hint={`Time of the whole capture${hasFiles() ? '; colours by file' : ''}. A click looks into a call.`}
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
const pythonFile = /^\$?([^ :]+\.py):/;
const fileOf = (name: string): string => pythonFile.exec(name)?.[1] ?? name.replace(/[\d(<].*$/, '');
