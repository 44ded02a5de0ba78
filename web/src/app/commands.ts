// Pieces of texts that lead further, as links to pages.
import type { DocumentLink } from '../api/document';

const titles: { readonly [verb: string]: readonly [page: string, title: string] } = {
  collectives: ['collectives', 'Collectives'],
  compile: ['compile', 'Compilation'],
  doctor: ['doctor', 'Doctor'],
  host: ['host', 'Host'],
  idle: ['idle', 'Idle'],
  kernels: ['kernels', 'Kernels'],
  memory: ['memory', 'Memory'],
  ops: ['ops', 'Operations'],
  overview: ['overview', 'Overview'],
  path: ['path', 'Critical path'],
  roofline: ['roofline', 'Roofline'],
  steps: ['overview', 'Overview'],
  transfers: ['transfers', 'Transfers'],
};

// The page that shows what a verb says.
export const pageOf = (verb: string): string | undefined => titles[verb]?.[0];

export interface Piece {
  readonly text: string;
  readonly page?: string;
  readonly params?: { readonly [key: string]: string }; // of the page: the part of the run that it is about
}

// A command is called by the title of its page, an option by its name and value.
function pieceOf(link: DocumentLink, here: string): Piece[] {
  const parameters = Object.entries(link.parameters);
  const [page = here, title = ''] = titles[link.verb ?? ''] ?? [];
  if (parameters.length > 0) {
    const text = parameters.map(([key, value]) => `${key} ${value}`).join(', ');
    return [{ text, page, params: link.parameters }];
  }
  if (page === here) return [{ text: 'below' }];
  return link.text.startsWith('gait ') ? [{ text: title, page }] : [{ text: 'on ' }, { text: title, page }];
}

// Text in pieces, of which some lead to a page; `here` is the page that is shown.
export function piecesOf(text: string, links: readonly DocumentLink[], here: string): Piece[] {
  const starts = links.map(link => ({ link, at: text.indexOf(link.text) })).filter(found => found.at >= 0);
  const first = starts.sort((a, b) => a.at - b.at || b.link.text.length - a.link.text.length)[0];
  if (!first) return text === '' ? [] : [{ text }];
  const before = text.slice(0, first.at);
  const after = text.slice(first.at + first.link.text.length);
  return [
    ...(before === '' ? [] : [{ text: before }]),
    ...pieceOf(first.link, here),
    ...piecesOf(after, links, here),
  ];
}
