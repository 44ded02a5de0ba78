// Pointer and wheel on the canvas: scroll, zoom, move, select an area, zoom into a box, click.
export interface Gestures {
  readonly zoom: (factor: number, x: number) => void;
  readonly pan: (pixels: number) => void;
  readonly scroll: (pixels: number) => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: (x: number, y: number) => void;
  readonly hover: (x: number, y: number) => void;
  readonly leave: () => void;
  readonly area: (x0: number, x1: number, y0: number, y1: number, done: boolean) => void;
  readonly box: (x0: number, x1: number, done: boolean) => void;
}

type Drag = 'area' | 'pan' | 'box';
const farEnough = 4; // pixels before a press becomes a drag
const zoomPerPixel = 0.0035;

// `plain` is what dragging without a key does.
export function attachGestures(element: HTMLElement, on: Gestures, plain: 'area' | 'box'): () => void {
  let start: { x: number; y: number; kind: Drag; moved: boolean; last: number } | undefined;
  const at = (event: MouseEvent): readonly [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? element.clientHeight : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    if (event.ctrlKey || event.metaKey) on.zoom(Math.exp(clamp(dy, 200) * zoomPerPixel), at(event)[0]);
    else if (event.shiftKey) on.pan(dx || dy);
    else if (Math.abs(dx) > Math.abs(dy)) on.pan(dx);
    else on.scroll(dy);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button > 1) return;
    const [x, y] = at(event);
    const kind: Drag = event.button === 1 || event.shiftKey ? 'pan' : event.altKey ? 'box' : plain;
    start = { x, y, kind, moved: false, last: x };
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent): void => {
    const [x, y] = at(event);
    if (!start) {
      on.hover(x, y);
      return;
    }
    if (!start.moved && Math.hypot(x - start.x, y - start.y) < farEnough) return;
    start.moved = true;
    if (start.kind === 'pan') on.pan(start.last - x);
    else if (start.kind === 'box') on.box(Math.min(start.x, x), Math.max(start.x, x), false);
    else
      on.area(Math.min(start.x, x), Math.max(start.x, x), Math.min(start.y, y), Math.max(start.y, y), false);
    start.last = x;
  };
  const onUp = (event: PointerEvent): void => {
    const pressed = start;
    start = undefined;
    if (!pressed) return;
    const [x, y] = at(event);
    if (!pressed.moved) on.click(x, y);
    else if (pressed.kind === 'box') on.box(Math.min(pressed.x, x), Math.max(pressed.x, x), true);
    else if (pressed.kind === 'area')
      on.area(
        Math.min(pressed.x, x),
        Math.max(pressed.x, x),
        Math.min(pressed.y, y),
        Math.max(pressed.y, y),
        true,
      );
  };
  const onDouble = (event: MouseEvent): void => on.doubleClick(...at(event));
  const onLeave = (): void => {
    if (!start) on.leave();
  };

  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointerup', onUp);
  element.addEventListener('pointerleave', onLeave);
  element.addEventListener('dblclick', onDouble);
  return () => {
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointermove', onMove);
    element.removeEventListener('pointerup', onUp);
    element.removeEventListener('pointerleave', onLeave);
    element.removeEventListener('dblclick', onDouble);
  };
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value));
