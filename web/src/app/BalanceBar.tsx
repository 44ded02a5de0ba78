// The step as one bar, from the limit of the device to the step as it is: what is necessary, and what is lost to what.
// Each part leads to the page that shows more of it (docs/metrics/balance.md).
import { createMemo, type JSX, Show } from 'solid-js';
import { type Document, type Row, rowsOf } from '../api/document';
import { type Part, PartsBar } from '../charts/PartsBar';
import { percent, time } from '../format/numbers';
import { pageOf } from './commands';
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
  const partOf = (row: Row): Part => {
    const name = rows().text(row, 'term');
    const page = pageOf(rows().text(row, 'verb'));
    const share = rows().number(row, 'share') ?? 0;
    const amount = `${time(rows().number(row, 'time'))}, ${percent(share)}`;
    return {
      name,
      title: `${rows().text(row, 'about')}: ${amount}`,
      amount,
      share,
      color: colors[name] ?? 'rest',
      href: page === undefined || page === props.here ? undefined : pageHref(page),
    };
  };
  return (
    <Show when={rows().length > 0}>
      <Section title="Balance" docs="metrics/balance">
        <PartsBar parts={rows().all.map(partOf)} label="the step, and what it is lost to" class="balance" />
      </Section>
    </Show>
  );
}
