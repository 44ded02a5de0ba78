// A link, or its text alone where it would lead nowhere.
import { type JSX, Show } from 'solid-js';

export function Link(props: { to: string | undefined; children: JSX.Element }): JSX.Element {
  return (
    <Show when={props.to} fallback={props.children}>
      <a href={props.to}>{props.children}</a>
    </Show>
  );
}
