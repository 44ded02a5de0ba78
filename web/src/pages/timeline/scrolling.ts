// Which rows are in sight. What is selected stays in sight, also when the panel about it opens, until the person
// scrolls.
import { createEffect, on } from 'solid-js';
import type { TimelineState } from '../../timeline/state';
import { laneHeight } from '../../timeline/tracks/rows';

export interface Scrolling {
  readonly room: () => number; // how far the rows can be scrolled
  readonly scrollAway: (y: number) => void; // the person does
  readonly follow: () => void; // what is selected, from now on
}

export function createScrolling(state: TimelineState, height: () => number): Scrolling {
  const room = (): number => Math.max(0, state.layout().height + state.layout().pinnedHeight - height());
  const scrollTo = (y: number): void => state.setScrolled(Math.max(0, Math.min(room(), y)));
  let following = true;
  const scrollAway = (y: number): void => {
    following = false;
    scrollTo(y);
  };
  createEffect(on([room], () => scrollTo(state.scrolled())));

  const reveal = (track: number, lane: number): void => {
    const { rows, pinned, pinnedHeight } = state.layout();
    if (pinned.some(row => row.track?.track === track)) return;
    const row = rows.find(candidate => candidate.track?.track === track);
    if (!row) return;
    const y = row.y + (row.open ? lane * laneHeight : 0);
    const free = height() - pinnedHeight;
    const [above, below] = [state.scrolled() - y, y + laneHeight + 4 - state.scrolled() - free];
    if (above > free || below > free)
      scrollTo(Math.round(y - free / 3)); // as links have it
    else if (above > 0) scrollTo(Math.min(row.y, y - laneHeight));
    else if (below > 0) scrollTo(state.scrolled() + below + laneHeight);
  };
  createEffect(on([state.selected], () => (following = true), { defer: true }));
  createEffect(
    on([state.detail, height, state.layout], ([detail]) => {
      if (detail && following) reveal(detail.track, detail.lane);
    }),
  );
  const follow = (): void => {
    following = true;
  };
  return { room, scrollAway, follow };
}
