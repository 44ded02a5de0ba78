// The step as one bar, from the limit of the device to the step as it is: what is necessary, and what is lost to what.
// Each part leads to the page that shows more of it (docs/metrics/balance.md).
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../api/document';
import { percent, time } from '../format/numbers';
import { Swatch } from '../table/Swatch';
import { pageOf } from './commands';
import { Link } from './Link';
import { Section } from './Page';
import { pageHref } from './view';

const colors: { readonly [term: string]: string } = {
  necessary: 'compute',
  avoidable: 'softmax',
  inefficiency: 'reduction',
  communication: 'communication',
  copies: 'copies',
  idle: 'idle',
  unrated: 'rest',
};

// `here`: the page that shows the bar, to which no part leads.
export function BalanceBar(props: { document: Document | undefined; here: string }): JSX.Element {
  const rows = createMemo(() => rowsOf(props.document, 'balance'));
  const color = (row: Row): string => colors[rows().text(row, 'term')] ?? 'rest';
  const address = (row: Row): string | undefined => {
    const page = pageOf(rows().text(row, 'verb'));
    return page === undefined || page === props.here ? undefined : pageHref(page);
  };
  const title = (row: Row): string =>
    `${rows().text(row, 'about')}: ${time(rows().number(row, 'time'))}, ${percent(rows().number(row, 'share'))}`;
  return (
    <Show when={rows().length > 0}>
      <Section title="Balance" docs="metrics/balance">
        <figure class="balance">
          <div class="bar-of-parts" role="img" aria-label="the step, and what it is lost to">
            <For each={rows().all}>
              {row => (
                <span
                  title={title(row)}
                  style={{
                    width: `${rows().number(row, 'share') ?? 0}%`,
                    background: `var(--${color(row)})`,
                  }}
                />
              )}
            </For>
          </div>
          <figcaption>
            <ul class="plain">
              <For each={rows().all}>
                {row => (
                  <li title={title(row)}>
                    <Swatch color={color(row)} />
                    <Link to={address(row)}>{rows().text(row, 'term')}</Link>{' '}
                    <span class="muted">
                      {time(rows().number(row, 'time'))}, {percent(rows().number(row, 'share'))}
                    </span>
                  </li>
                )}
              </For>
            </ul>
          </figcaption>
        </figure>
      </Section>
    </Show>
  );
}
