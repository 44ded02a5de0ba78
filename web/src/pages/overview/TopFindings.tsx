// What the doctor found, in a line each: the page about it says more. Its place is kept until the answer is
// there.
import { For, type JSX, Show } from 'solid-js';
import { type Row, rowsOf } from '../../api/document';
import { Section } from '../../app/Page';
import { createDocument } from '../../app/session';
import { pageHref, viewQuery } from '../../app/view';
import { time } from '../../format/numbers';

const most = 3;

export function TopFindings(): JSX.Element {
  // The same question as the doctor's page: it is answered once.
  const doctor = createDocument(
    () => 'doctor',
    () => ({ ...viewQuery(), verbose: '1' }),
  );
  const rows = () => rowsOf(doctor.document(), 'findings');
  const cost = (row: Row): string => {
    const ms = rows().number(row, 'cost_ms_per_step');
    return ms === null ? '' : `${time(ms * 1e9)} ${rows().text(row, 'portion')}`;
  };
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
                      <span class="muted">{cost(row)}</span>
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
