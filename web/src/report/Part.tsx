// One part of a report. The page of the viewer that it shows brings its own answer.
import { type JSX, Show } from 'solid-js';

export function Part(props: {
  id: string;
  title: string;
  first?: boolean;
  children: JSX.Element;
}): JSX.Element {
  return (
    <section class="part" classList={{ first: props.first ?? false }} id={props.id} aria-label={props.title}>
      <Show when={!props.first}>
        <h2 class="part-title">{props.title}</h2>
      </Show>
      {props.children}
    </section>
  );
}
