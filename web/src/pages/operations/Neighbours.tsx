// Operands on the left, the operation in the middle, its users on the right.
import { For, type JSX } from 'solid-js';
import type { Row, Rows } from '../../api/document';
import type { Tables } from '../../api/tables';

export function Neighbours(props: {
  rows: Rows<Tables['neighbours']>;
  name: string;
  link: (name: string) => string;
}): JSX.Element {
  const of = (relation: string): readonly Row[] =>
    props.rows.all.filter(row => props.rows.text(row, 'relation') === relation);
  const list = (relation: string, none: string): JSX.Element => (
    <ul class="plain">
      <For each={of(relation)} fallback={<li class="muted">{none}</li>}>
        {row => (
          <li>
            <a href={props.link(props.rows.text(row, 'name'))}>{props.rows.text(row, 'name')}</a>{' '}
            <span class="muted">{props.rows.text(row, 'opcode')}</span>
            <div class="muted small shape">{props.rows.text(row, 'shape')}</div>
          </li>
        )}
      </For>
    </ul>
  );
  return (
    <div class="neighbours">
      <div>
        <h3 class="muted small">operands</h3>
        {list('operand', 'no operands')}
      </div>
      <div class="middle">
        <span aria-hidden="true">→</span>
        <strong>{props.name}</strong>
        <span aria-hidden="true">→</span>
      </div>
      <div>
        <h3 class="muted small">users</h3>
        {list('user', 'no users: a result')}
      </div>
    </div>
  );
}
