// The rows of the timeline from the tree of tracks: what is folded, pinned, hidden and in which order, and
// where each row lies.
import type { Leaf, TrackNode } from '../api';

export const laneHeight = 18;
export const groupHeight = 24;
export const counterHeight = 38;
const padding = 4;

export interface RowState {
  readonly folded: ReadonlySet<string>; // keys whose state differs from the usual one
  readonly pinned: readonly string[];
  readonly order: ReadonlyMap<string, number>; // positions that were moved, by key
  readonly filter: string;
}

export interface Row {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly about: string;
  readonly level: number;
  readonly kind: 'group' | 'track';
  readonly open: boolean; // group: children are shown; track: each lane has a row
  readonly foldable: boolean;
  readonly pinned: boolean;
  readonly y: number;
  readonly height: number;
  readonly lanes: number;
  readonly track?: Leaf; // none while it is being made
}

export interface RowLayout {
  readonly pinned: readonly Row[]; // y from the top of the pinned part
  readonly rows: readonly Row[]; // y from the top of the part that scrolls
  readonly pinnedHeight: number;
  readonly height: number;
}

const derivedTypes = new Set(['steps', 'programs', 'scopes', 'idle', 'collectives']);

// Whether a track shows all its lanes, and a group its children, unless the person says otherwise. Of threads
// only the one with the most events does: the main one, nearly always.
export function usuallyOpen(node: TrackNode, busiest: ReadonlySet<string>): boolean {
  if (node.kind !== 'track') return true;
  const lanes = node.lanes ?? 1;
  if (derivedTypes.has(node.type ?? '')) return lanes <= 8;
  return node.type === 'thread' ? lanes <= 1 || (busiest.has(node.key) && lanes <= 24) : lanes <= 6;
}

function busiestThreads(tree: readonly TrackNode[]): Set<string> {
  const keys = new Set<string>();
  for (const node of tree) {
    const threads = (node.children ?? []).filter(child => child.type === 'thread');
    const first = threads.reduce<TrackNode | undefined>(
      (best, child) => ((child.events ?? 0) > (best?.events ?? -1) ? child : best),
      undefined,
    );
    if (first) keys.add(first.key);
    for (const key of busiestThreads(node.children ?? [])) keys.add(key);
  }
  return keys;
}

// Words that a track and what is above it must have, in any order; quotes keep spaces: "CPU 3".
export const filterWords = (filter: string): string[] =>
  [...filter.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([word, quoted]) => quoted ?? word)
    .filter(Boolean);

export function layoutRows(tree: readonly TrackNode[], state: RowState): RowLayout {
  const words = filterWords(state.filter);
  const pinnedKeys = new Set(state.pinned);
  const busiest = busiestThreads(tree);
  const isOpen = (node: TrackNode): boolean => usuallyOpen(node, busiest) !== state.folded.has(node.key);
  const rows: Row[] = [];
  const pinned: Row[] = [];
  let y = 0;

  const place = (node: TrackNode, level: number, path: string, into: Row[], at: number): number => {
    const open = isOpen(node);
    const isTrack = node.kind === 'track';
    const lanes = isTrack && open ? Math.max(1, node.lanes ?? 1) : 1;
    const counter = node.draw === 'counter';
    const height = !isTrack ? groupHeight : counter ? counterHeight : lanes * laneHeight + padding;
    into.push({
      key: node.key,
      title: into === pinned ? `${path} ${node.title}`.trim() : node.title,
      detail: node.detail ?? '',
      about: node.about ?? '',
      level: into === pinned ? 0 : level,
      kind: isTrack ? 'track' : 'group',
      open,
      foldable: !isTrack || (!counter && (node.lanes ?? 1) > 1),
      pinned: pinnedKeys.has(node.key),
      y: at,
      height,
      lanes,
      ...(node.track !== undefined ? { track: node as Leaf } : {}),
    });
    return at + height;
  };

  const visit = (node: TrackNode, level: number, path: string): boolean => {
    if (node.kind === 'track') {
      if (node.type === 'busy') return false; // for the minimap
      const text = `${path} ${node.title}`.toLowerCase();
      if (!words.every(word => text.includes(word))) return false;
      y = place(node, level, path, rows, y);
      return true;
    }
    const mark = rows.length;
    const before = y;
    y = place(node, level, path, rows, y);
    let any = false;
    if (isOpen(node) || words.length > 0) {
      for (const child of inOrder(node.children ?? [], state))
        any = visit(child, level + 1, `${path} ${node.title}`) || any;
    } else {
      any = words.length === 0;
    }
    if (!any) {
      rows.length = mark;
      y = before;
    }
    return any;
  };
  for (const node of inOrder(tree, state)) visit(node, 0, '');

  let pinnedHeight = 0;
  const visitPinned = (node: TrackNode, path: string): void => {
    if (node.kind === 'track' && pinnedKeys.has(node.key))
      pinnedHeight = place(node, 0, path, pinned, pinnedHeight);
    for (const child of node.children ?? []) visitPinned(child, node.title);
  };
  for (const node of tree) visitPinned(node, '');
  return { pinned, rows, pinnedHeight, height: y };
}

// Threads by how much they did, all else as it comes; what is no work of a device stands behind what is, as not all
// devices of a capture have their tracks in one order.
function usualOrder(nodes: readonly TrackNode[]): readonly TrackNode[] {
  if (nodes.every(node => node.type === 'thread'))
    return [...nodes].sort((a, b) => (b.events ?? 0) - (a.events ?? 0));
  const isOwn = (node: TrackNode): boolean => node.kind === 'track' && !node.derived && !node.pending;
  const isOther = (node: TrackNode): boolean => node.type === 'other';
  const own = nodes.filter(isOwn);
  const sorted = [...own.filter(node => !isOther(node)), ...own.filter(isOther)];
  return nodes.map(node => (isOwn(node) ? sorted.shift()! : node));
}

// As the person put them, else as usual.
function inOrder(nodes: readonly TrackNode[], state: RowState): readonly TrackNode[] {
  const usual = usualOrder(nodes);
  if (state.order.size === 0) return usual;
  return usual
    .map((node, i) => ({ node, at: state.order.get(node.key) ?? i, i }))
    .sort((a, b) => a.at - b.at || a.i - b.i)
    .map(entry => entry.node);
}

// Keys of the nodes beside one, as inOrder has them: also of those that a filter hides.
export function keysBeside(tree: readonly TrackNode[], key: string, state: RowState): string[] {
  if (tree.some(node => node.key === key)) return inOrder(tree, state).map(node => node.key);
  for (const node of tree) {
    const found = keysBeside(node.children ?? [], key, state);
    if (found.length > 0) return found;
  }
  return [];
}

// The order of `all` after one moved by so many of those that are shown; the others stay where they are, beside their
// neighbours. Undefined where it cannot move.
export function moveAmong(
  all: readonly string[],
  shown: readonly string[],
  key: string,
  by: number,
): string[] | undefined {
  const from = shown.indexOf(key);
  const to = Math.max(0, Math.min(shown.length - 1, from + by));
  if (from < 0 || from === to) return undefined;
  const next = all.filter(other => other !== key);
  next.splice(next.indexOf(shown[to]!) + (to > from ? 1 : 0), 0, key);
  return next;
}

// What is at the top of the part that scrolls. Rows above it may come, go and change: it can be kept in place.
export interface Anchor {
  readonly key: string;
  readonly into: number; // pixels of the row that are above the top
}

export function anchorAt(rows: readonly Row[], scrolled: number): Anchor | undefined {
  const row = scrolled > 0 ? rowAt(rows, scrolled) : undefined;
  return row && { key: row.key, into: Math.round(scrolled - row.y) };
}

export function scrolledTo(rows: readonly Row[], anchor: Anchor): number | undefined {
  const row = rows.find(candidate => candidate.key === anchor.key);
  return row && row.y + Math.min(anchor.into, row.height);
}

export const formatAnchor = (anchor: Anchor | undefined): string =>
  anchor ? `${anchor.key}~${anchor.into}` : '';

export function parseAnchor(text: string): Anchor | undefined {
  const match = /^(.+)~(\d+)$/.exec(text);
  return match ? { key: match[1]!, into: Number(match[2]) } : undefined;
}

// How a tile request names a row's track.
export const tileName = (row: Row): string =>
  row.open || row.track?.draw === 'counter' || (row.track?.lanes ?? 1) <= 1
    ? String(row.track?.track)
    : `${row.track?.track}m`;

// The row at a height, by binary search.
export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = rows[middle]!;
    if (y < row.y) high = middle - 1;
    else if (y >= row.y + row.height) low = middle + 1;
    else return row;
  }
  return undefined;
}
