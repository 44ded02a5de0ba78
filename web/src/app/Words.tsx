// What the command says, on a page: the verbs that it points to are pages, and its options are boxes.
import { For, type JSX } from 'solid-js';
import { piecesOf } from './commands';
import { Link } from './Link';
import { route } from './router';
import { pageHref } from './view';

export function Words(props: { children: string }): JSX.Element {
  return (
    <For each={piecesOf(props.children, route().page)}>
      {piece => <Link to={piece.page ? pageHref(piece.page, piece.params) : undefined}>{piece.text}</Link>}
    </For>
  );
}
