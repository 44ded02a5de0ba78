// A link to a page of the documentation (manual/), in a tab of its own; where there is none, nothing.
import { type JSX, Show } from 'solid-js';
import { here } from './places';

// "docs/rules/input.md", or the same without the ending.
export const docsHref = (page: string): string =>
  `docs/${page.replace(/^docs\//, '').replace(/\.md$/, '')}.html`;

export function DocsLink(props: { page: string; name?: string; children: JSX.Element }): JSX.Element {
  return (
    <Show when={here().docs}>
      <a class="docs" href={docsHref(props.page)} target="_blank" rel="noopener" aria-label={props.name}>
        {props.children}
      </a>
    </Show>
  );
}
