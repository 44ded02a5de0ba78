// What the command says, on a page: the verbs that it points to are pages, and its options are boxes.
import { For, type JSX } from 'solid-js';
import type { DocumentLink } from '../api/document';
import { piecesOf } from './commands';
import { Link } from './Link';
import { href, type Params, route } from './router';
import { pageHref } from './view';

// `problem`: the page itself is not there, and may not be because of the steps, device or host of the link.
export function Words(props: {
  children: string;
  links: readonly DocumentLink[] | undefined;
  problem?: boolean;
}): JSX.Element {
  const to = (page: string, params: Params = {}): string =>
    props.problem ? href(page, params) : pageHref(page, params);
  return (
    <For each={piecesOf(props.children, props.links ?? [], props.problem ? '' : route().page)}>
      {piece => (
        <Link to={piece.page ? to(piece.page, piece.params) : undefined}>
          <Quantities text={piece.text} />
        </Link>
      )}
    </For>
  );
}

// Numbers stay on the line of their units.
const quantity = /(\d[\d.,]* (?:%|[pnµm]?s|k?B|[KMGT]iB)(?!\w))/;
const Quantities = (props: { text: string }): JSX.Element => (
  <For each={props.text.split(quantity)}>
    {(part, i) => (i() % 2 === 1 ? <span class="quantity">{part}</span> : part)}
  </For>
);
