// The edge between the names of the rows and their slices: dragged, or moved with the arrow keys, it makes room for
// the names. The width is the person's, not the link's.
import { type JSX, onMount } from 'solid-js';

const store = 'gait.gutter';
const least = 90;

function remembered(): number {
  try {
    return Number(localStorage.getItem(store)) || 0;
  } catch {
    return 0; // storage is off
  }
}

export function GutterEdge(): JSX.Element {
  let edge!: HTMLHRElement;
  const body = (): HTMLElement => edge.parentElement!;
  const now = (): number => edge.getBoundingClientRect().right - body().getBoundingClientRect().left;
  // 0: as the style sheet says.
  const set = (width: number): void => {
    const most = body().clientWidth / 2;
    const next = width > 0 ? Math.round(Math.max(least, Math.min(most, width))) : 0;
    if (next > 0) body().style.setProperty('--gutter', `${next}px`);
    else body().style.removeProperty('--gutter');
    try {
      localStorage.setItem(store, String(next));
    } catch {
      // it lasts until the page is closed
    }
  };
  onMount(() => {
    if (remembered() > 0) set(remembered());
  });
  return (
    <hr
      class="tl-edge"
      ref={edge}
      tabindex="0"
      aria-orientation="vertical"
      aria-label="width of the names"
      title="drag for wider names; a double click resets"
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={event => {
        if (event.buttons === 1) set(event.clientX - body().getBoundingClientRect().left);
      }}
      onDblClick={() => set(0)}
      onKeyDown={event => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        event.stopPropagation();
        set(now() + (event.key === 'ArrowLeft' ? -16 : 16));
      }}
    />
  );
}
