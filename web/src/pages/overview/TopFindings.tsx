// What the doctor found, in a line each: the page about it says more. Its place is kept until the answer is
// there.
import { For, type JSX, Show } from 'solid-js';
import { rowsOf } from '../../api/document';
import { Section } from '../../app/Page';
import { createDocument } from '../../app/session';
import { pageHref, viewQuery } from '../../app/view';

const most = 3;

export function TopFindings(): JSX.Element {
  // The same question as the doctor's page: it is answered once.
  const doctor = createDocument(
    () => 'doctor',
    () => ({ ...viewQuery(), verbose: '1' }),
  );
  const rows = () => rowsOf(doctor.document(), 'findings');
  return (
    <Section title="Findings">
      <div class="top-findings">
        <Show when={doctor.document()}>
          <Show when={rows().length > 0} fallback="No rule found anything.">
            <ol>
              <For each={rows().all.slice(0, most)}>
                {row => (
                  <li>
                    <div>
                      <a
                        href={pageHref('doctor', { finding: rows().text(row, 'rule') })}
                        title={rows().text(row, 'title')}
                      >
                        {rows().text(row, 'title')}
                      </a>
                      <span class="muted">{rows().text(row, 'cost')}</span>
                    </div>
                  </li>
                )}
              </For>
            </ol>
            <Show when={rows().length > most}>
              <a href={pageHref('doctor')}>{rows().length - most} more</a>
            </Show>
          </Show>
        </Show>
      </div>
    </Section>
  );
}
