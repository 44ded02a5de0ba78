// Which rows of a long table are in the DOM: those in sight and a few around them.
import { type Accessor, createMemo, createSignal, onCleanup, onMount } from 'solid-js';

export const rowHeight = 26;
const around = 8;
const fewest = 24; // that a table shows before it scrolls
const besides = 270; // pixels of a window that are not for the rows

const [windowHeight, setWindowHeight] = createSignal(globalThis.innerHeight ?? 0);
globalThis.addEventListener?.('resize', () => setWindowHeight(innerHeight));

// How many rows a long table shows at a time: on a large screen it fills the window.
export const rowsThatFit = (): number => Math.max(fewest, Math.floor((windowHeight() - besides) / rowHeight));

export interface RowWindow {
  readonly attach: (element: HTMLElement) => void;
  readonly visible: Accessor<readonly number[]>;
  readonly reveal: (row: number) => void;
}

export function visibleRows(rows: number, scrolled: number, height: number): readonly number[] {
  const first = Math.max(0, Math.floor(scrolled / rowHeight) - around);
  const last = Math.min(rows, Math.ceil((scrolled + height) / rowHeight) + around);
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
}

export function createRowWindow(rows: Accessor<number>, shown: Accessor<number>): RowWindow {
  let element: HTMLElement | undefined;
  const [scrolled, setScrolled] = createSignal(0);
  const visible = createMemo(() => {
    const height = rowHeight * (shown() + 1);
    const most = Math.max(0, rows() * rowHeight - height);
    return visibleRows(rows(), Math.min(scrolled(), most + height), height);
  });
  return {
    attach: to => {
      element = to;
      // Whether columns lie beyond the right edge: it may fall between two of them and look like the end.
      const seeMore = (): void => {
        to.classList.toggle('more', to.scrollLeft + to.clientWidth < to.scrollWidth - 1);
      };
      const onScroll = (): void => {
        setScrolled(to.scrollTop);
        seeMore();
      };
      to.addEventListener('scroll', onScroll, { passive: true });
      const sizes = new ResizeObserver(seeMore);
      onMount(() => {
        for (const part of [to, ...to.children]) sizes.observe(part);
      });
      onCleanup(() => {
        to.removeEventListener('scroll', onScroll);
        sizes.disconnect();
      });
    },
    visible,
    reveal: row => {
      if (!element) return;
      const top = row * rowHeight;
      const room = element.clientHeight - 2 * rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top > element.scrollTop + room) element.scrollTop = top - room;
    },
  };
}
