// What lies above the slices: texts, the marked area, the selected slice, arrows to what caused it.
import type { EventDetail, EventRef } from '../api';
import { toX, type View } from '../scales/view';
import type { Area } from '../selection/area';
import { laneHeight, type RowLayout } from '../tracks/rows';
import { areaX, placeOf } from './frame';
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
  context.fillStyle = colors.text;
  context.textBaseline = 'alphabetic';
  for (const label of input.labels) context.fillText(label.text, label.x, label.y);
  if (input.area) drawArea(context, input, input.area);
  if (!input.detail) return 0;
  const box = boxOf(input, input.detail);
  if (box) {
    context.strokeStyle = colors.text;
    context.lineWidth = 2;
    context.strokeRect(box.x, box.y, Math.max(3, box.width), box.height);
  }
  context.lineWidth = 1.2;
  context.strokeStyle = colors.focus;
  let arrows = 0;
  for (const cause of input.detail.causes.slice(0, mostArrows))
    if (drawArrow(context, input, cause, input.detail)) ++arrows;
  for (const effect of input.detail.effects.slice(0, mostArrows))
    if (drawArrow(context, input, input.detail, effect)) ++arrows;
  return arrows;
}

function drawArea(context: CanvasRenderingContext2D, input: OverlayInput, area: Area): void {
  const [x0, x1] = areaX(area, input.view, input.width);
  context.fillStyle = input.colors.shade;
  context.fillRect(0, 0, Math.max(0, x0), input.height);
  context.fillRect(x1, 0, Math.max(0, input.width - x1), input.height);
  if (area.tracks.length > 0) {
    for (const row of [...input.layout.pinned, ...input.layout.rows]) {
      if (row.track && area.tracks.includes(row.track.track)) continue;
      const place = row.track && placeOf(input.layout, input.scrolled, input.height, row.track.track);
      if (place) context.fillRect(x0, place.y, x1 - x0, row.height);
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

// From the end of one slice to the begin of the other; false where neither is in sight.
function drawArrow(
  context: CanvasRenderingContext2D,
  input: OverlayInput,
  from: EventRef,
  to: EventRef,
): boolean {
  const a = placeOf(input.layout, input.scrolled, input.height, from.track);
  const b = placeOf(input.layout, input.scrolled, input.height, to.track);
  if (!a || !b) return false;
  const x0 = toX(input.view, input.width, from.begin + from.duration);
  const x1 = toX(input.view, input.width, to.begin);
  if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > input.width) return false;
  const y0 = a.y + laneHeight * ((a.row.open ? from.lane : 0) + 0.5);
  const y1 = b.y + laneHeight * ((b.row.open ? to.lane : 0) + 0.5);
  const bend = Math.min(80, Math.max(20, Math.abs(x1 - x0) / 2));
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  context.moveTo(x1 - 6, y1 - 4);
  context.lineTo(x1, y1);
  context.lineTo(x1 - 6, y1 + 4);
  context.stroke();
  return true;
}
