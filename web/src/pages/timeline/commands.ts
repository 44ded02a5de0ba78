// What the keys and the buttons of the timeline do.
import { param, setParams } from '../../app/router';
import type { EventRef } from '../../timeline/api';
import { leaves } from '../../timeline/api';
import { colorModes } from '../../timeline/draw/palette';
import type { Command } from '../../timeline/keys';
import { clampView, focusView, length, panView, wholeSpan, zoomView } from '../../timeline/scales/view';
import { type Found, findBeside, tracksToSum } from '../../timeline/selection/find';
import type { TimelineState } from '../../timeline/state';
import type { Row } from '../../timeline/tracks/rows';

// How the page goes elsewhere.
export interface Ways {
  readonly jump: (to: EventRef) => void;
  readonly step: (way: 'next' | 'previous') => void; // to a match of the search
  readonly stepSame: (way: 'next' | 'previous') => void; // to a slice of the same name
  readonly scrollAway: (y: number) => void;
  readonly size: () => readonly [width: number, height: number];
}

export interface Commands {
  readonly move: (command: Command, ms: number) => void; // as long as a key is down
  readonly press: (command: Command) => boolean;
  readonly pointAt: (part: number) => void; // of the width
  readonly hover: (found: Found | undefined) => void;
}

export function createCommands(state: TimelineState, to: Ways): Commands {
  const pointer: { at: number; over: Found | undefined } = { at: 0.5, over: undefined };
  // Slices without a mouse.
  const stepBeside = (command: Command): void => {
    const detail = state.detail();
    if (command === 'sliceBefore' || command === 'sliceAfter') {
      const beside = command === 'sliceBefore' ? detail?.before : detail?.after;
      if (beside) to.jump(beside);
      if (detail) return;
    }
    const way = command === 'sliceAbove' ? -1 : 1;
    const from = detail && {
      track: detail.track,
      lane: detail.lane,
      time: detail.begin + detail.duration / 2,
    };
    const found = findBeside(state, ...to.size(), from, from ? way : 1);
    if (found) state.select(found);
    else if (from) to.scrollAway(state.scrolled() + way * 120); // what lies there is not known before it is in sight
  };

  const move = (command: Command, ms: number): void => {
    const view = state.view();
    if (command === 'zoomIn') state.setView(zoomView(view, Math.exp(-ms * 0.0035), pointer.at, state.span()));
    else if (command === 'zoomOut')
      state.setView(zoomView(view, Math.exp(ms * 0.0035), pointer.at, state.span()));
    else if (command === 'left') state.setView(panView(view, -length(view) * ms * 0.0009, state.span()));
    else if (command === 'right') state.setView(panView(view, length(view) * ms * 0.0009, state.span()));
    else to.scrollAway(state.scrolled() + (command === 'up' ? -ms : ms) * 0.9);
  };
  // Rows move when one is pinned or folded: the key pressed again, with the pointer at rest, means the same one.
  let toggled: { readonly command: Command; readonly key: string } | undefined;
  const toggle = (command: Command, fits: (row: Row) => boolean, change: (key: string) => void): void => {
    const row = pointer.over?.row;
    const key = toggled?.command === command ? toggled.key : row && fits(row) ? row.key : undefined;
    if (key === undefined) return;
    toggled = { command, key };
    change(key);
  };
  const press = (command: Command): boolean => {
    const detail = state.detail();
    const area = state.area();
    if (command === 'focus') {
      if (detail) state.setView(focusView(detail.begin, detail.duration, state.span()));
      else if (area) state.setView(focusView(area.from, area.to - area.from, state.span()));
      else state.setView(clampView(wholeSpan(state.span()), state.span()));
    } else if (command === 'whole') state.setView(clampView(wholeSpan(state.span()), state.span()));
    else if (command === 'mark') {
      if (detail)
        state.setArea(
          {
            from: detail.begin,
            to: detail.begin + Math.max(1, detail.duration),
            tracks: tracksToSum(leaves(state.groupOf(detail.track)?.children ?? [])),
          },
          'push',
        );
      else state.setArea({ ...state.view(), tracks: [] }, 'push');
    } else if (command === 'previousSame') to.stepSame('previous');
    else if (command === 'nextSame') to.stepSame('next');
    else if (command.startsWith('slice')) stepBeside(command);
    else if (command === 'nextMatch') to.step('next');
    else if (command === 'previousMatch') to.step('previous');
    else if (command === 'pin') toggle(command, row => row.track !== undefined, state.togglePin);
    else if (command === 'fold') toggle(command, row => row.foldable, state.toggleFold);
    else if (command === 'colors') nextColors();
    else if (command === 'clear') {
      if (area) state.setArea(undefined, 'push');
      else if (state.selected()) state.select(undefined);
      else if (param('q')) setParams({ q: '' });
      else return false;
    } else return false;
    return true;
  };
  const nextColors = (): void => {
    const next = colorModes[(colorModes.indexOf(state.colorBy()) + 1) % colorModes.length]!;
    setParams({ color: next === 'category' ? '' : next });
  };
  const pointAt = (part: number): void => {
    pointer.at = part;
    toggled = undefined;
  };
  const hover = (found: Found | undefined): void => {
    pointer.over = found;
  };
  return { move, press, pointAt, hover };
}
