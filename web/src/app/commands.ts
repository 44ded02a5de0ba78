// The commands that texts point to, as pages.
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

const commands =
  /with --peak-tflops(?: and --peak-gbps)?|--program [^\s)]+|--series .+?(?= shows)|gait [a-z]+(?: RUN| \/\S*)?/g;

export interface Piece {
  readonly text: string;
  readonly page?: string;
  readonly params?: { readonly [key: string]: string }; // of the page: the part of the run that it is about
}

// Text in pieces, of which some lead to a page; `here` is the page that is shown.
export function piecesOf(text: string, here: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(commands)) {
    const [, key, value] = /^--(\w+) (.+)$/.exec(found[0]) ?? [];
    if (key) {
      pieces.push({ text: text.slice(from, found.index) });
      pieces.push({ text: `${key} ${value}`, page: here, params: { [key]: value! } });
      from = found.index + found[0].length;
      continue;
    }
    const isPeak = found[0].startsWith('with');
    const [page, title] = titles[isPeak ? 'roofline' : found[0].split(' ')[1]!] ?? [];
    if (page === undefined) continue;
    pieces.push({ text: text.slice(from, found.index) });
    if (page === here) pieces.push({ text: 'below' });
    else if (isPeak) pieces.push({ text: 'on ' }, { text: title!, page });
    else pieces.push({ text: title!, page });
    from = found.index + found[0].length;
  }
  return [...pieces, { text: text.slice(from) }].filter(piece => piece.text !== '');
}
