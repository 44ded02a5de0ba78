// Pointer, fingers and wheel on the canvas: scroll, zoom, move, select an area, zoom into a box, click.
export interface Gestures {
  readonly zoom: (factor: number, x: number) => void;
  readonly pan: (pixels: number) => void;
  readonly scroll: (pixels: number) => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: () => void; // where the click before it was
  readonly hover: (x: number, y: number) => void;
  readonly leave: () => void;
  readonly area: (x0: number, x1: number, y0: number, y1: number, done: boolean) => void;
  readonly box: (x0: number, x1: number, done: boolean) => void;
}

type Drag = 'area' | 'pan' | 'box';
const farEnough = 4; // pixels before a press becomes a drag
const doubleMs = 500; // between the two clicks of a double click
const zoomPerPixel = 0.0035;

// `plain` is what dragging without a key does. `inPage`: the canvas is a part of a page that scrolls, so the
// wheel alone scrolls that.
export function attachGestures(element: HTMLElement, on: Gestures, plain: Drag, inPage = false): () => void {
  const fingers = new Map<number, readonly [number, number]>();
  let start: { x: number; y: number; kind: Drag; moved: boolean; last: number } | undefined;
  let clicked: { x: number; y: number; time: number } | undefined; // on the screen
  let second = false; // the press is the second one of a double click
  const at = (event: MouseEvent): readonly [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const onWheel = (event: WheelEvent): void => {
    const withKey = event.ctrlKey || event.metaKey || event.shiftKey;
    if (inPage && !withKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? element.clientHeight : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    if (event.ctrlKey || event.metaKey) on.zoom(Math.exp(clamp(dy, 200) * zoomPerPixel), at(event)[0]);
    else if (event.shiftKey) on.pan(dx || dy);
    else if (Math.abs(dx) > Math.abs(dy)) on.pan(dx);
    else on.scroll(dy);
  };
  // Two fingers: the time between them follows them.
  const pinch = (id: number, now: readonly [number, number]): void => {
    const other = [...fingers].find(([finger]) => finger !== id)![1];
    const before = fingers.get(id)!;
    const distance = (a: readonly [number, number]): number => Math.max(10, Math.abs(a[0] - other[0]));
    on.zoom(distance(before) / distance(now), (now[0] + other[0]) / 2);
    on.pan((before[0] - now[0]) / 2);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button > 1) return;
    const [x, y] = at(event);
    if (event.pointerType === 'touch') fingers.set(event.pointerId, [x, y]);
    if (fingers.size > 1) {
      start = undefined;
      return;
    }
    const kind: Drag = event.button === 1 || event.shiftKey ? 'pan' : event.altKey ? 'box' : plain;
    start = { x, y, kind, moved: false, last: x };
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent): void => {
    const [x, y] = at(event);
    if (fingers.size > 1 && fingers.has(event.pointerId)) pinch(event.pointerId, [x, y]);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
    if (!start) {
      if (fingers.size === 0) on.hover(x, y);
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
    fingers.delete(event.pointerId);
    const pressed = start;
    start = undefined;
    if (!pressed) return;
    const [x, y] = at(event);
    if (!pressed.moved) {
      clicked = { x: event.clientX, y: event.clientY, time: event.timeStamp };
      on.click(x, y);
    } else if (pressed.kind === 'box') on.box(Math.min(pressed.x, x), Math.max(pressed.x, x), true);
    else if (pressed.kind === 'area')
      on.area(
        Math.min(pressed.x, x),
        Math.max(pressed.x, x),
        Math.min(pressed.y, y),
        Math.max(pressed.y, y),
        true,
      );
  };
  const onCancel = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
    start = undefined;
  };
  // The first click opens the panel about the slice: below the second one may be that panel, or another row. So the
  // place on the screen makes it a double click, whatever is there now, and nothing else gets the second click.
  const onSecondDown = (event: PointerEvent): void => {
    second =
      clicked !== undefined &&
      event.button === 0 &&
      event.timeStamp - clicked.time < doubleMs &&
      Math.hypot(event.clientX - clicked.x, event.clientY - clicked.y) < farEnough;
    clicked = undefined;
    if (!second) return;
    event.stopPropagation();
    event.preventDefault();
    on.doubleClick();
  };
  const onSecondClick = (event: MouseEvent): void => {
    if (!second) return;
    second = false;
    event.stopPropagation();
    event.preventDefault();
  };
  const onLeave = (): void => {
    if (!start) on.leave();
  };

  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointerup', onUp);
  element.addEventListener('pointercancel', onCancel);
  element.addEventListener('pointerleave', onLeave);
  addEventListener('pointerdown', onSecondDown, true);
  addEventListener('click', onSecondClick, true);
  return () => {
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointermove', onMove);
    element.removeEventListener('pointerup', onUp);
    element.removeEventListener('pointercancel', onCancel);
    element.removeEventListener('pointerleave', onLeave);
    removeEventListener('pointerdown', onSecondDown, true);
    removeEventListener('click', onSecondClick, true);
  };
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value));
