// A run in one column: the answer, where a step goes, what to change, the evidence.
import { For, type JSX, Show } from 'solid-js';
import { rowsOf } from '../api/document';
import { Empty } from '../app/Page';
import { createDocument, currentRun } from '../app/session';
import { Doctor } from '../pages/doctor/Doctor';
import { Memory } from '../pages/memory/Memory';
import { Operations } from '../pages/operations/Operations';
import { Environment } from '../pages/overview/Environment';
import { Overview } from '../pages/overview/Overview';
import { PageTimeline } from '../timeline/PageTimeline';
import { createTimelineState } from '../timeline/state';
import { Part } from './Part';

// What links of the pages may lead to.
export const runParts: readonly (readonly [string, string, () => JSX.Element])[] = [
  ['overview', 'Overview', () => <Overview brief />],
  ['doctor', 'Findings', () => <Doctor />],
  ['ops', 'Operations', () => <Operations />],
  ['memory', 'Memory', () => <Memory />],
  ['timeline', 'Timeline', () => <Steps />],
  ['info', 'Capture', () => <Captured />],
];

export function RunReport(): JSX.Element {
  return (
    <For each={runParts}>
      {([id, title, content]) => (
        <Part id={id} title={title} first={id === 'overview'}>
          {content()}
        </Part>
      )}
    </For>
  );
}

function Steps(): JSX.Element {
  const info = createDocument(() => 'info');
  const events = (): number => rowsOf(info.document(), 'hosts').sum('events');
  return (
    <Show when={info.document()}>
      <Show when={events() > 0} fallback={<Empty>The capture holds no events.</Empty>}>
        <PageTimeline state={createTimelineState()} />
      </Show>
    </Show>
  );
}

function Captured(): JSX.Element {
  const info = createDocument(() => 'info');
  return (
    <div class="page">
      <p class="muted">{currentRun()?.path}</p>
      <Environment document={info.document()} losses={info.document()?.losses ?? []} />
    </div>
  );
}
