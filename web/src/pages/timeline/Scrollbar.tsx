// The scroll bar of the rows, which are drawn and so have none of their own.
import { createEffect, type JSX } from 'solid-js';

export function Scrollbar(props: {
  scrolled: number;
  height: number;
  whole: number;
  onScroll: (y: number) => void;
}): JSX.Element {
  let element!: HTMLDivElement;
  createEffect(() => {
    if (Math.abs(element.scrollTop - props.scrolled) > 1) element.scrollTop = props.scrolled;
  });
  return (
    <div
      class="tl-scrollbar"
      ref={element}
      tabindex="-1"
      aria-hidden="true"
      onScroll={event => {
        if (Math.abs(event.currentTarget.scrollTop - props.scrolled) > 1)
          props.onScroll(event.currentTarget.scrollTop);
      }}
    >
      <div style={{ height: `${props.whole}px` }} />
    </div>
  );
}
