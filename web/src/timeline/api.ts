// What the server tells about the timeline (docs/http.md, "Timeline").
import { getJson, request, runPath } from '../api/client';
import type { Unit } from '../format/numbers';

export interface TrackNode {
  readonly key: string;
  readonly kind: 'host' | 'device' | 'process' | 'track';
  readonly title: string;
  readonly detail?: string;
  readonly about?: string;
  readonly children?: readonly TrackNode[];
  // Of tracks:
  readonly track?: number;
  readonly type?: string;
  readonly draw?: 'slices' | 'counter';
  readonly lanes?: number;
  readonly events?: number;
  readonly span?: readonly [number, number];
  readonly derived?: boolean;
  readonly pending?: boolean; // it is being made: its place is known, but it has no number yet
  readonly unit?: Unit;
  readonly high?: number;
}

export interface TrackTree {
  readonly span: readonly [number, number];
  readonly names: number;
  readonly derived: 'pending' | 'ready';
  readonly tree: readonly TrackNode[];
}

export interface Leaf extends TrackNode {
  readonly track: number;
}

export const leaves = (nodes: readonly TrackNode[]): Leaf[] =>
  nodes.flatMap(node => (node.track !== undefined ? [node as Leaf] : leaves(node.children ?? [])));

// Where the work of devices is, or the threads of hosts: of all, or of those that are meant by `host` and `device`;
// where no device has tracks of its own, its work is on those: nothing then.
const workTracks = ['stream', 'operations', 'async operations'];
export function tracksOf(
  nodes: readonly TrackNode[],
  on: 'device' | 'host',
  { host = '', device = '' }: { readonly host?: string; readonly device?: string } = {},
): number[] {
  const groups = meant(nodes, host).flatMap(node => node.children ?? []);
  const devices = groups.filter(node => node.kind === 'device');
  const [inside, types] = on === 'device' ? [meant(devices, device), workTracks] : [groups, ['thread']];
  return leaves(inside)
    .filter(leaf => !leaf.derived && types.includes(leaf.type ?? ''))
    .map(leaf => leaf.track);
}

// Which ones `--host` and `--device` choose: by the title or by the number in it, else as a regular expression.
function meant(nodes: readonly TrackNode[], wish: string): readonly TrackNode[] {
  if (wish === '') return nodes;
  const exact = nodes.filter(({ title }) => title === wish || title.endsWith(` ${wish}`));
  if (exact.length > 0 || /^\d+$/.test(wish)) return exact;
  try {
    return nodes.filter(({ title }) => new RegExp(wish).test(title));
  } catch {
    return [];
  }
}

// The track of a host's thread; `ordinal` says which one of that name, as `host_threads` counts them.
export const threadTrack = (
  nodes: readonly TrackNode[],
  host: string,
  name: string,
  ordinal: number,
): Leaf | undefined =>
  leaves(nodes)
    .filter(leaf => leaf.type === 'thread' && leaf.key.startsWith(`${host}/`) && leaf.title === name)
    .sort((a, b) => a.track - b.track)[ordinal - 1];

export const getTracks = (run: string, version: string, derived: boolean): Promise<TrackTree> =>
  getJson<TrackTree>(runPath(run, 'tracks'), { v: version, derived: derived ? 1 : undefined });

interface NamePage {
  readonly from: number;
  readonly total: number;
  readonly name: readonly string[];
  readonly category: readonly number[];
  readonly class: readonly number[];
  readonly scope: readonly number[];
  readonly operation: readonly (string | null)[];
  readonly categories: readonly string[];
  readonly classes: readonly string[];
  readonly scopes: readonly string[];
}

// The dictionary of names, by id.
export class Names {
  readonly name: string[] = [];
  readonly category: (string | undefined)[] = [];
  readonly class: (string | undefined)[] = [];
  readonly scope: (string | undefined)[] = [];
  readonly operation: (string | null)[] = [];

  add(page: NamePage): void {
    page.name.forEach((name, i) => {
      const id = page.from + i;
      this.name[id] = name;
      this.category[id] = page.categories[page.category[i] ?? -1];
      this.class[id] = page.classes[page.class[i] ?? -1];
      this.scope[id] = page.scopes[page.scope[i] ?? -1];
      this.operation[id] = page.operation[i] ?? null;
    });
  }
}

// `known` has the first names already. `captured`: only those that need not wait for what is derived.
export async function getNames(
  run: string,
  version: string,
  onPage?: (names: Names) => void,
  { known, captured = false }: { known?: Names; captured?: boolean } = {},
): Promise<Names> {
  const names = known ?? new Names();
  const part = captured ? { captured: 1 } : {};
  for (let from = names.name.length, total = from + 1; from < total; ) {
    const page = await getJson<NamePage>(runPath(run, 'names'), { v: version, from, ...part });
    names.add(page);
    onPage?.(names);
    total = page.total;
    if (page.name.length === 0) break;
    from = page.from + page.name.length;
  }
  return names;
}

export interface EventRef {
  readonly track: number;
  readonly event: number;
  readonly begin: number;
  readonly duration: number;
  readonly lane: number;
  readonly name?: string;
  readonly label?: string;
}

// How long some slices took.
export interface Durations {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly min: number;
  readonly max: number;
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] };
}

export interface EventDetail extends EventRef {
  readonly name: string;
  readonly name_id: number;
  readonly label: string;
  readonly self: number | null;
  readonly category: string | null;
  readonly class: string | null;
  readonly args: readonly (readonly [string, unknown])[];
  readonly parent: EventRef | null;
  readonly before: EventRef | null; // in its lane
  readonly after: EventRef | null;
  readonly step: number | null;
  readonly operation: {
    readonly program: string;
    readonly program_id: number | string;
    readonly instruction: string;
    readonly opcode: string;
    readonly kind: string | null;
    readonly shape: string;
    readonly scope: string | null;
    readonly source: string | null;
    readonly flops: number | null;
    readonly bytes: number | null;
    readonly text: string;
    readonly operands: readonly {
      readonly instruction: string;
      readonly opcode: string;
      readonly shape: string;
    }[];
    readonly users: readonly {
      readonly instruction: string;
      readonly opcode: string;
      readonly shape: string;
    }[];
  } | null;
  readonly unattributed: string | null;
  readonly causes: readonly EventRef[];
  readonly causes_total: number;
  readonly effects: readonly EventRef[];
  readonly effects_total: number;
  readonly same: Durations & {
    readonly total: number;
    readonly position: number;
    readonly previous: EventRef | null;
    readonly next: EventRef | null;
  };
}

export interface SearchResult {
  readonly total: number;
  readonly time: number;
  readonly capped: boolean;
  readonly name_ids: readonly number[];
  readonly names: readonly { readonly name: string; readonly count: number; readonly time: number }[];
  readonly offset: number;
  readonly wrapped: boolean;
  readonly matches: readonly (EventRef & {
    readonly name_id: number;
    readonly arg: readonly [string, unknown] | null;
  })[];
}

export const getEvent = (run: string, version: string, track: number, event: number): Promise<EventDetail> =>
  getJson<EventDetail>(runPath(run, 'event'), { track, event, v: version });

export function getTile(
  run: string,
  version: string,
  query: { tracks: string; level: number; first: number; buckets: number },
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const read = (response: Response): Promise<ArrayBuffer> => response.arrayBuffer();
  return request(runPath(run, 'tile'), { ...query, v: version }, read, signal);
}
