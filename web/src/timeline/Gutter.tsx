// Titles of the rows, with folding, pinning and moving.
import { createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { amount, plural } from '../format/numbers';
import { smallWidth } from '../format/width';
import { cutTitle } from './draw/labels';
import type { TimelineState } from './state';
import { groupHeight, type Row } from './tracks/rows';

export function Gutter(props: { state: TimelineState; height: number }): JSX.Element {
  const { state } = props;
  let place!: HTMLDivElement;
  const [width, setWidth] = createSignal(0);
  const cutTo = cutTitle(smallWidth);
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(place.clientWidth));
    observer.observe(place);
    onCleanup(() => observer.disconnect());
  });
  const free = (): number => props.height - state.layout().pinnedHeight;
  // Tab goes through all names: one that is not in sight, or cut, comes there with its row.
  const onFocusIn = (event: FocusEvent): void => {
    moving = undefined;
    const button = event.target as HTMLElement;
    const key = button.closest<HTMLElement>('.tl-title')?.dataset.key;
    const row = state.layout().rows.find(candidate => candidate.key === key);
    if (!row || !button.matches(':focus-visible')) return;
    const least = row.y + groupHeight - free();
    if (row.y < state.scrolled()) state.setScrolled(row.y);
    else if (least > state.scrolled()) state.setScrolled(least);
  };
  // And one more above and below, for Tab to go to.
  const inSight = () => {
    const { rows } = state.layout();
    const from = state.scrolled();
    const to = from + free();
    return rows.filter(
      (row, i) => (rows[i + 1] ?? row).y + (rows[i + 1] ?? row).height > from && (rows[i - 1] ?? row).y < to,
    );
  };
  const cut: Cut = row => (width() > 0 ? cutTo(row.title, width() - indent(row) - foldWidth - 5) : row.title);
  return (
    <div class="tl-gutter" ref={place}>
      <Show when={state.layout().pinned.length > 0}>
        <div class="pinned" style={{ height: `${state.layout().pinnedHeight}px` }}>
          <For each={state.layout().pinned}>
            {row => <Title row={row} y={row.y} state={state} cut={cut} />}
          </For>
        </div>
      </Show>
      <div class="rest" style={{ top: `${state.layout().pinnedHeight}px` }} onFocusIn={onFocusIn}>
        <For each={inSight()}>
          {row => <Title row={row} y={row.y - state.scrolled()} state={state} cut={cut} />}
        </For>
      </div>
    </div>
  );
}

// The button that had the focus when its track was moved.
let moving: { readonly key: string; readonly button: string } | undefined;

type Cut = (row: Row) => string;
const foldWidth = 16;
const indent = (row: Row): number => 6 + row.level * 12;

function Title(props: { row: Row; y: number; state: TimelineState; cut: Cut }): JSX.Element {
  const what = (): string =>
    [
      props.row.title,
      props.row.detail,
      props.row.about,
      props.row.track ? plural(props.row.track.events ?? 0, 'event') : '',
    ]
      .filter(Boolean)
      .join('\n');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const { key } = props.row;
    moving = { key, button: (event.target as Element).className };
    props.state.move(key, siblingsOf(props.state, key), event.key === 'ArrowUp' ? -1 : 1);
  };
  // Titles are made anew when rows move: the next press is for the same track.
  let title!: HTMLDivElement;
  onMount(() => {
    if (moving?.key === props.row.key) title.querySelector<HTMLElement>(`button.${moving.button}`)?.focus();
  });
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    const moved = event.dataTransfer?.getData('text/plain') ?? '';
    const siblings = siblingsOf(props.state, moved);
    const to = siblings.indexOf(props.row.key);
    if (to >= 0) props.state.move(moved, siblings, to - siblings.indexOf(moved));
  };
  return (
    <div
      ref={title}
      class="tl-title"
      role="group"
      data-key={props.row.key}
      classList={{ group: props.row.kind === 'group' }}
      title={what()}
      draggable={true}
      style={{
        top: `${props.y}px`,
        height: `${props.row.height}px`,
        'padding-left': `${indent(props.row)}px`,
      }}
      onKeyDown={onKeyDown}
      onDragStart={event => event.dataTransfer?.setData('text/plain', props.row.key)}
      onDragOver={event => event.preventDefault()}
      onDrop={onDrop}
    >
      <Show when={props.row.foldable} fallback={<span class="fold" />}>
        <button
          type="button"
          class="fold"
          aria-expanded={props.row.open}
          aria-label={`${props.row.open ? 'fold' : 'unfold'} ${props.row.title}`}
          onClick={() => props.state.toggleFold(props.row.key)}
        >
          {props.row.open ? '▾' : '▸'}
        </button>
      </Show>
      <span class="name">
        <span class="own">{props.row.kind === 'group' ? props.row.title : props.cut(props.row)}</span>{' '}
        <span class="muted" classList={{ value: props.row.track?.draw === 'counter' }}>
          {props.row.track?.draw === 'counter'
            ? amount(props.row.track.unit ?? '', props.row.track.high)
            : props.row.detail || (props.row.kind === 'track' && !props.row.track ? '…' : '')}
        </span>
      </span>
      <Show when={props.row.track}>
        <button
          type="button"
          class="pin"
          aria-pressed={props.row.pinned}
          aria-label={`${props.row.pinned ? 'unpin' : 'pin'} ${props.row.title}`}
          title="pin to the top; Alt ↑ ↓ moves the track"
          onClick={() => props.state.togglePin(props.row.key)}
        >
          {props.row.pinned ? '●' : '○'}
        </button>
      </Show>
    </div>
  );
}

// Keys of the nodes beside one, in the order in which they are shown.
function siblingsOf(state: TimelineState, key: string): string[] {
  const { rows } = state.layout();
  const at = rows.findIndex(row => row.key === key);
  if (at < 0) return [];
  const level = rows[at]!.level;
  let first = at;
  while (first > 0 && rows[first - 1]!.level >= level) --first;
  const out: string[] = [];
  for (let i = first; i < rows.length && rows[i]!.level >= level; ++i)
    if (rows[i]!.level === level) out.push(rows[i]!.key);
  return out;
}
