// The key figures: what the `overview` table says, largest first in importance.
import { For, type JSX, Show } from 'solid-js';
import { type Document, type Row, type Rows, rowsOf } from '../../api/document';
import type { Tables } from '../../api/tables';
import { Link } from '../../app/Link';
import { pageHref } from '../../app/view';
import { amount, percent, type Unit } from '../../format/numbers';

const pages: { readonly [quantity: string]: string } = {
  step: 'timeline',
  memory: 'memory',
  compute: 'roofline',
  transfers: 'transfers',
  compile: 'compile',
  loop: 'host',
};

function titleOf(quantity: string, steps: boolean): string {
  if (quantity === 'compile') return 'compiling';
  if (quantity === 'step' && steps) return 'median step';
  return steps && (quantity === 'compute' || quantity === 'transfers') ? `${quantity} a step` : quantity;
}

function shown(rows: Rows<Tables['overview']>, row: Row): string {
  const value = rows.cell(row, 'value');
  if (typeof value === 'number') return amount(rows.text(row, 'unit') as Unit, value);
  return value === null ? '–' : String(value);
}

// Names break after their parts, not inside of them.
const breakable = (text: string): string => text.replace(/[_/]/g, '$&\u200b');

// A number stays with its unit and its name: "σ 25.2 µs", "GPU 0".
const unbroken = (text: string): string =>
  text
    .replace(/(\d) (?=([nµm]?s|%|[KMGT]?i?B|[MGTP]?FLOP)(?!\p{L}))/gu, '$1\u00a0')
    .replace(/(σ|[CGT]PU) (?=\d)/g, '$1\u00a0');

export function Cards(props: { document: Document; roofline: Document | undefined }): JSX.Element {
  const rows = () => rowsOf(props.document, 'overview');
  // Of the time of all devices together, as the answer has it.
  const busy = (): number | null => {
    const where = rowsOf(props.document, 'where');
    const idle = where.number(where.find('part', 'idle'), 'share');
    return idle === null || where.numbers('share').every(share => share === 0) ? null : 100 - idle;
  };
  // The balance says it beside what is lost.
  const shownRows = (): readonly Row[] =>
    rows().all.filter(row => rows().text(row, 'quantity') !== 'necessary');
  return (
    <dl class="cards">
      <For each={shownRows()}>
        {row => {
          const quantity = rows().text(row, 'quantity');
          const page = pages[quantity];
          const title = titleOf(quantity, rows().cell(rows().find('quantity', 'step'), 'value') !== null);
          return (
            <>
              <Card title={title} page={page} value={shown(rows(), row)} note={rows().text(row, 'brief')} />
              <Show when={quantity === 'step'}>
                <Card
                  title="device busy"
                  page="idle"
                  value={percent(busy())}
                  note="of the time that the numbers cover"
                />
              </Show>
              <Show when={quantity === 'compute'}>
                <Utilization document={props.roofline} />
              </Show>
            </>
          );
        }}
      </For>
    </dl>
  );
}

function Card(props: { title: string; page: string | undefined; value: string; note: string }): JSX.Element {
  return (
    <div>
      <dt>
        <Show when={props.page} fallback={props.title}>
          {page => <Link to={pageHref(page())}>{props.title}</Link>}
        </Show>
      </dt>
      <dd>{breakable(props.value)}</dd>
      <dd class="note">{unbroken(props.note)}</dd>
    </div>
  );
}

// Of the peak for matrix products.
function Utilization(props: { document: Document | undefined }): JSX.Element {
  const rows = () => rowsOf(props.document, 'step');
  const row = () => rows().all[0];
  const mfu = (): number | null => rows().number(row(), 'mfu');
  const note = (): string => {
    if (!props.document) return '';
    if (mfu() === null) return 'no peak to compare with is known';
    const peak = rows().number(row(), 'peak');
    return peak === null
      ? 'of the peaks of its data types'
      : `of ${rows().text(row(), 'data_type')} ${amount('flop/s', peak)}`;
  };
  return <Card title="MFU" page="roofline" value={percent(mfu())} note={note()} />;
}
