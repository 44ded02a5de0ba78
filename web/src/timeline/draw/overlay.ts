// What lies above the slices: texts, the marked area, the selected slice, arrows to what caused it.
import type { EventDetail, EventRef } from '../api';
import { toX, type View } from '../scales/view';
import type { Area } from '../selection/area';
import { laneHeight, type Row, type RowLayout } from '../tracks/rows';
import { areaX, placeOf, placeOfAny, rowsInSight } from './frame';
import type { Label } from './labels';

export interface OverlayColors {
  readonly text: string;
  readonly focus: string;
  readonly shade: string;
  readonly ground: string;
}

export interface OverlayInput {
  readonly width: number; // CSS pixels, as everything here
  readonly height: number;
  readonly view: View;
  readonly layout: RowLayout;
  readonly scrolled: number;
  readonly labels: readonly Label[];
  readonly detail: EventDetail | undefined;
  readonly area: Area | undefined;
  readonly colors: OverlayColors;
}

const mostArrows = 24;

// Returns how many arrows are in sight.
export function drawOverlay(context: CanvasRenderingContext2D, input: OverlayInput): number {
  const { colors } = input;
  context.textBaseline = 'alphabetic';
  // Below the texts: an arrow must not strike them out. Where it leads to is above them.
  const { arrows, hints } = drawArrows(context, input);
  context.fillStyle = colors.text;
  for (const label of input.labels) context.fillText(label.text, label.x, label.y);
  for (const hint of hints) drawHint(context, input, hint);
  if (input.area) drawArea(context, input, input.area);
  const box = input.detail && boxOf(input, input.detail);
  if (box) {
    context.strokeStyle = colors.text;
    context.lineWidth = 2;
    context.strokeRect(box.x, box.y, Math.max(3, box.width), box.height);
  }
  return arrows;
}

function drawArrows(
  context: CanvasRenderingContext2D,
  input: OverlayInput,
): { arrows: number; hints: readonly Label[] } {
  const { detail } = input;
  if (!detail) return { arrows: 0, hints: [] };
  context.lineWidth = 1.2;
  context.strokeStyle = input.colors.focus;
  let arrows = 0;
  const hints = new Map<string, Label>();
  for (const cause of detail.causes.slice(0, mostArrows))
    if (drawArrow(context, input, cause, detail, hints)) ++arrows;
  for (const effect of detail.effects.slice(0, mostArrows))
    if (drawArrow(context, input, detail, effect, hints)) ++arrows;
  return { arrows, hints: [...hints.values()] };
}

// On a ground of its own: it stands above slices.
function drawHint(context: CanvasRenderingContext2D, input: OverlayInput, hint: Label): void {
  const wide = context.measureText(hint.text).width;
  const x = Math.max(2, Math.min(input.width - wide - 8, hint.x + 8));
  context.fillStyle = input.colors.ground;
  context.fillRect(x - 3, hint.y - 11, wide + 6, 15);
  context.fillStyle = input.colors.focus;
  context.fillText(hint.text, x, hint.y);
}

function drawArea(context: CanvasRenderingContext2D, input: OverlayInput, area: Area): void {
  const [x0, x1] = areaX(area, input.view, input.width);
  context.fillStyle = input.colors.shade;
  context.fillRect(0, 0, Math.max(0, x0), input.height);
  context.fillRect(x1, 0, Math.max(0, input.width - x1), input.height);
  if (area.tracks.length > 0) {
    // Heads of groups are no part of it either.
    for (const { row, y, top } of rowsInSight(input.layout, input.scrolled, input.height)) {
      if (row.track && area.tracks.includes(row.track.track)) continue;
      const from = Math.max(y, top);
      context.fillRect(x0, from, x1 - x0, y + row.height - from);
    }
  }
  context.strokeStyle = input.colors.focus;
  context.lineWidth = 1;
  context.beginPath();
  for (const x of [x0, x1]) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, input.height);
  }
  context.stroke();
}

function boxOf(input: OverlayInput, event: EventRef) {
  const place = placeOf(input.layout, input.scrolled, input.height, event.track);
  if (!place) return undefined;
  const x = toX(input.view, input.width, event.begin);
  const end = toX(input.view, input.width, event.begin + event.duration);
  const y = place.y + 1 + (place.row.open ? event.lane * laneHeight : 0);
  const high = place.row.track?.draw === 'counter' ? place.row.height - 4 : laneHeight - 2;
  return { x: Math.max(-4, x), y, width: Math.min(input.width + 4, end) - Math.max(-4, x), height: high };
}

// From the end of one slice to the begin of the other; false where nothing of it is in sight. An end that is out
// of sight is at the edge on that side, where `hints` gets the name of its row.
function drawArrow(
  context: CanvasRenderingContext2D,
  input: OverlayInput,
  from: EventRef,
  to: EventRef,
  hints: Map<string, Label>,
): boolean {
  const a = placeOfAny(input.layout, input.scrolled, from.track);
  const b = placeOfAny(input.layout, input.scrolled, to.track);
  if (!a || !b) return false;
  const end = (place: { row: Row; y: number }, event: EventRef, time: number) => {
    const x = toX(input.view, input.width, time);
    const y = place.y + laneHeight * ((place.row.open ? event.lane : 0) + 0.5);
    const top = place.row.pinned && input.layout.pinned.includes(place.row) ? 0 : input.layout.pinnedHeight;
    return { x, y, inside: { x: clamp(x, 0, input.width), y: clamp(y, top + 1, input.height - 1) }, place };
  };
  const [start, tip] = [end(a, from, from.begin + from.duration), end(b, to, to.begin)];
  const outside = (pick: (e: typeof start) => number, least: number, most: number): boolean =>
    Math.max(pick(start), pick(tip)) < least || Math.min(pick(start), pick(tip)) > most;
  if (outside(e => e.x, 0, input.width) || outside(e => e.y, 0, input.height)) return false;
  for (const e of [start, tip]) {
    if (e.inside.y === e.y) continue;
    const above = e.y < e.inside.y;
    const text = `${above ? '↑' : '↓'} ${e.place.row.title}`;
    hints.set(text, { x: e.inside.x, y: above ? e.inside.y + 13 : e.inside.y - 6, text });
  }
  const [p, q] = [start.inside, tip.inside];
  const bend = Math.min(80, Math.max(20, Math.abs(q.x - p.x) / 2));
  context.beginPath();
  context.moveTo(p.x, p.y);
  context.bezierCurveTo(p.x + bend, p.y, q.x - bend, q.y, q.x, q.y);
  if (tip.x === q.x && tip.y === q.y) {
    context.moveTo(q.x - 6, q.y - 4);
    context.lineTo(q.x, q.y);
    context.lineTo(q.x - 6, q.y + 4);
  }
  context.stroke();
  return true;
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
