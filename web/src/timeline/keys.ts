// What keys and gestures do on the timeline: one table for the handler and for the help.
export type Command =
  | 'zoomIn'
  | 'zoomOut'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'focus'
  | 'mark'
  | 'previousSame'
  | 'nextSame'
  | 'previousMatch'
  | 'nextMatch'
  | 'sliceBefore'
  | 'sliceAfter'
  | 'sliceAbove'
  | 'sliceBelow'
  | 'clear'
  | 'pin'
  | 'fold'
  | 'colors'
  | 'whole';

export interface KeyEntry {
  readonly shown: string;
  readonly does: string;
  readonly keys?: { readonly [key: string]: Command };
}

export const timelineKeys: readonly KeyEntry[] = [
  { shown: 'W S', does: 'zoom in, out at the pointer', keys: { w: 'zoomIn', s: 'zoomOut' } },
  { shown: 'A D', does: 'move left, right', keys: { a: 'left', d: 'right' } },
  {
    shown: '← → ↑ ↓',
    does: 'the same, and scroll',
    keys: { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' },
  },
  { shown: 'wheel', does: 'scroll; with Ctrl zoom, with Shift move' },
  { shown: 'drag', does: 'select an area; with Shift move' },
  { shown: 'Alt drag', does: 'zoom into the box; also a drag on the time axis' },
  { shown: 'click', does: 'select a slice; a double click zooms to it' },
  {
    shown: 'Shift ← →',
    does: 'select the slice before, behind; without a selection the one in the middle',
    keys: { 'Shift+ArrowLeft': 'sliceBefore', 'Shift+ArrowRight': 'sliceAfter' },
  },
  {
    shown: 'Shift ↑ ↓',
    does: 'select a slice in the row above, below',
    keys: { 'Shift+ArrowUp': 'sliceAbove', 'Shift+ArrowDown': 'sliceBelow' },
  },
  { shown: 'F', does: 'zoom to the selection, else to everything', keys: { f: 'focus' } },
  { shown: '0', does: 'everything', keys: { '0': 'whole' } },
  { shown: 'M', does: 'mark the selected slice, or the window, as area', keys: { m: 'mark' } },
  {
    shown: '[ ]',
    does: 'previous, next slice of the same name, or step',
    keys: { '[': 'previousSame', ']': 'nextSame' },
  },
  { shown: '/', does: 'search names and arguments' },
  {
    shown: 'Enter',
    does: 'next match; with Shift the previous one; also N',
    keys: { n: 'nextMatch', N: 'previousMatch' },
  },
  { shown: 'P', does: 'pin the track under the pointer', keys: { p: 'pin' } },
  { shown: 'X', does: 'fold or unfold the track under the pointer', keys: { x: 'fold' } },
  { shown: 'Alt ↑ ↓', does: 'move the track whose button has the focus; also by dragging its name' },
  { shown: 'strip on top', does: 'the whole capture: click or drag to go there' },
  { shown: 'edge of names', does: 'drag, or ← → on it, for wider names; a double click resets' },
  {
    shown: 'filter tracks',
    does: 'only tracks whose names have these words; quotes keep them together: "CPU 3"',
  },
  { shown: 'C', does: 'colour by category, name, scope, duration', keys: { c: 'colors' } },
  { shown: 'Esc', does: 'clear the area, then the selection', keys: { Escape: 'clear' } },
];

const commands = new Map<string, Command>(
  timelineKeys.flatMap(entry =>
    Object.entries(entry.keys ?? {}).map(([key, command]) => [key, command] as const),
  ),
);

// Of arrows with Shift the name begins with "Shift+".
export const nameOfKey = (event: KeyboardEvent): string =>
  event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;

export const commandOf = (key: string): Command | undefined =>
  commands.get(key) ?? commands.get(key.length === 1 ? key.toLowerCase() : key);
