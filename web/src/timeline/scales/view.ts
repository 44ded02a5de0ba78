// The window of the timeline: times in picoseconds, x in pixels.
export interface View {
  readonly from: number;
  readonly to: number;
}

export type Span = readonly [number, number];

const shortest = 1000; // 1 ns over the whole width
const room = 0.05; // beyond both ends of the span

export const length = (view: View): number => view.to - view.from;
export const toX = (view: View, width: number, time: number): number =>
  ((time - view.from) / (view.to - view.from)) * width;
export const toTime = (view: View, width: number, x: number): number =>
  view.from + (x / width) * (view.to - view.from);

export function wholeSpan(span: Span): View {
  const extra = Math.max(1, span[1] - span[0]) * 0.01;
  return { from: span[0] - extra, to: span[1] + extra };
}

// Within the span with some room, never shorter than 1 ns nor longer than everything.
export function clampView(view: View, span: Span): View {
  const extra = Math.max(shortest, span[1] - span[0]) * room;
  const low = span[0] - extra;
  const high = span[1] + extra;
  const size = Math.min(high - low, Math.max(shortest, view.to - view.from));
  const middle = (view.from + view.to) / 2;
  const from = Math.min(Math.max(middle - size / 2, low), high - size);
  return { from, to: from + size };
}

// factor < 1 shows less. The time at `at` (0 to 1 of the width) stays where it is.
export function zoomView(view: View, factor: number, at: number, span: Span): View {
  const fixed = view.from + at * length(view);
  const extra = Math.max(shortest, span[1] - span[0]) * (1 + 2 * room);
  const size = Math.min(extra, Math.max(shortest, length(view) * factor));
  return clampView({ from: fixed - at * size, to: fixed + (1 - at) * size }, span);
}

export const panView = (view: View, by: number, span: Span): View =>
  clampView({ from: view.from + by, to: view.to + by }, span);

// A window around a slice in which it takes a good part of the width.
export function focusView(begin: number, duration: number, span: Span): View {
  const size = Math.max(duration * 1.5, shortest);
  const middle = begin + duration / 2;
  return clampView({ from: middle - size / 2, to: middle + size / 2 }, span);
}
