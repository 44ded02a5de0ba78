// The pages of the run on the left.
import { For, type JSX, Show } from 'solid-js';
import { pages } from './pages';
import { href, route } from './router';
import { createSummary, currentRun } from './session';

export function Rail(): JSX.Element {
  const current = (id: string): 'page' | undefined =>
    route().page === id || (route().page === 'op' && id === 'ops') ? 'page' : undefined;
  const summary = createSummary();
  const findings = (): number => summary()?.findings ?? 0;
  return (
    <nav class="rail" aria-label="pages">
      <Show when={currentRun()}>
        <ul>
          <For each={pages.filter(page => page.inRail)}>
            {page => (
              <li>
                <a href={href(page.id)} aria-current={current(page.id)}>
                  {page.title}
                  <Show when={page.id === 'doctor' && findings()}>
                    <span class="count" title="findings">
                      {findings()}
                    </span>
                  </Show>
                </a>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </nav>
  );
}
