// A whole as one bar of its parts, and what each part is below it.
import { For, type JSX } from 'solid-js';
import { Link } from '../app/Link';
import { Swatch } from '../table/Swatch';

export interface Part {
  readonly name: string;
  readonly title: string;
  readonly amount: string;
  readonly share: number; // percent of the whole
  readonly color: string; // CSS variable
  readonly href?: string | undefined;
}

export function PartsBar(props: { parts: readonly Part[]; label: string; class: string }): JSX.Element {
  return (
    <figure class={`parts ${props.class}`}>
      <div class="bar-of-parts" role="img" aria-label={props.label}>
        <For each={props.parts}>
          {part => (
            <span
              title={part.title}
              style={{ width: `${part.share}%`, background: `var(--${part.color})` }}
            />
          )}
        </For>
      </div>
      <figcaption>
        <ul class="plain">
          <For each={props.parts}>
            {part => (
              <li title={part.title}>
                <Swatch color={part.color} />
                <Link to={part.href}>{part.name}</Link> <span class="muted">{part.amount}</span>
              </li>
            )}
          </For>
        </ul>
      </figcaption>
    </figure>
  );
}
