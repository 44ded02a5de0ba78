import type { JSX } from 'solid-js';

// A small square in the hue of a thing, before its name.
export const Swatch = (props: { color: string }): JSX.Element => (
  <span class="swatch" aria-hidden="true" style={{ '--swatch': `var(--${props.color})` }} />
);
