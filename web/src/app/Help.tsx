// What keys and gestures do. The timeline's part comes from the table that its input handling uses.
import { createEffect, For, type JSX } from 'solid-js';
import { timelineKeys } from '../timeline/keys';
import { DocsLink } from './DocsLink';

const elsewhere: readonly (readonly [string, string])[] = [
  ['/', 'search the timeline'],
  ['?', 'this help'],
  ['↑ ↓', 'previous, next row of a table'],
  ['Enter', 'open the row'],
  ['Esc', 'undo the selection, leave a box'],
];

const filters: readonly (readonly [string, string])[] = [
  ['dot fusion', 'rows with both words'],
  ['share>5', 'a column compared with a number'],
  ['mean>=10us', 'with a unit, as the heads have them: us, MiB, GB/s, TFLOP/s'],
  ['scope:mlp', 'a word in one column'],
  ['scope=jit(f)/mlp/', 'a path and what is below it'],
  ['source=', 'nothing in a column'],
  ['"bound by":memory', 'a column by the words of its head'],
];

export function Help(props: { open: boolean; close: () => void }): JSX.Element {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open) dialog.showModal();
    else dialog.close();
  });
  return (
    <dialog class="help" ref={dialog} aria-label="help" onClose={() => props.close()}>
      <div class="head">
        <h2>Keys and gestures</h2>
        <DocsLink page="index">documentation</DocsLink>
        <button type="button" onClick={() => props.close()}>
          close
        </button>
      </div>
      <div class="columns">
        <Keys title="Timeline" of={timelineKeys.map(entry => [entry.shown, entry.does] as const)} />
        <Keys title="Everywhere" of={elsewhere} />
        <Keys title="Filter box of a table, and of the runs" of={filters} />
      </div>
    </dialog>
  );
}

function Keys(props: { title: string; of: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl>
      <h3>{props.title}</h3>
      <For each={props.of}>
        {([keys, does]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        )}
      </For>
    </dl>
  );
}
