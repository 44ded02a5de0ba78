// The key figures: what the `overview` table says, largest first in importance.
import { For, type JSX, Show } from 'solid-js';
import { type Document, type Row, type Rows, rowsOf } from '../../api/document';
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
  return steps && (quantity === 'compute' || quantity === 'transfers') ? `${quantity} a step` : quantity;
}

function shown(rows: Rows, row: Row): string {
  const value = rows.cell(row, 'value');
  if (typeof value === 'number') return amount(rows.text(row, 'unit') as Unit, value);
  return value === null ? '–' : String(value);
}

export function Cards(props: { document: Document }): JSX.Element {
  const rows = () => rowsOf(props.document, 'overview');
  const busy = (): number | null => {
    const devices = rowsOf(props.document, 'devices');
    const known = devices.all.map(row => devices.number(row, 'busy')).filter(value => value !== null);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
  };
  return (
    <dl class="cards">
      <For each={rows().all}>
        {row => {
          const quantity = rows().text(row, 'quantity');
          const page = pages[quantity];
          const title = titleOf(quantity, rows().cell(rows().find('quantity', 'step'), 'value') !== null);
          return (
            <div>
              <dt>
                <Show when={page} fallback={title}>
                  {id => <Link to={pageHref(id())}>{title}</Link>}
                </Show>
              </dt>
              <dd>{shown(rows(), row)}</dd>
              <dd class="note">{rows().text(row, 'note')}</dd>
            </div>
          );
        }}
      </For>
      <div>
        <dt>
          <Link to={pageHref('idle')}>device busy</Link>
        </dt>
        <dd>{percent(busy())}</dd>
        <dd class="note">of the time that the numbers cover</dd>
      </div>
    </dl>
  );
}
