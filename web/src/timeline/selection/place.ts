// A slice by its place, for links of pages that know a device and a time but no numbers of tracks:
// "TRACK@BEGIN-END" with the key of the track, "TRACK@BEGIN-END/NAME" for what has that name there.
import { getJson, type Query, runPath } from '../../api/client';
import { type EventRef, getTile, type SearchResult } from '../api';
import { parseTile } from '../tiles/format';

export interface Place {
  readonly key: string;
  readonly begin: number;
  readonly end: number;
  readonly name?: string;
}

// Of a track that is derived for a device: "steps", "idle".
export const placeOn = (
  host: string,
  device: string,
  title: string,
  begin: number,
  length: number,
  name = '',
): string =>
  `${host}/${device}//${title}@${Math.round(begin)}-${Math.round(begin + length)}${name && `/${name}`}`;

export function parsePlace(text: string): Place | undefined {
  const match = /^(.+)@(-?\d+)-(-?\d+)(?:\/(.+))?$/.exec(text);
  if (!match) return undefined;
  const [, key, begin, end, name] = match;
  return { key: key!, begin: Number(begin), end: Number(end), ...(name && { name }) };
}

interface Run {
  readonly id: string;
  readonly version: string;
}

// The slice that takes most of that time, of those with the name where the place has one.
export async function sliceAt(run: Run, track: number, place: Place): Promise<EventRef | undefined> {
  return (place.name && (await namedAt(run, track, place))) || largestAt(run, track, place);
}

// However short it is: gaps have parts that no bucket of their length would show.
async function namedAt(run: Run, track: number, { begin, end, name }: Place): Promise<EventRef | undefined> {
  const ask = async (part: Query): Promise<SearchResult['matches']> => {
    const query = { q: `"${name}"`, in: 'names', track, v: run.version, ...part };
    return (await getJson<SearchResult>(runPath(run.id, 'search'), query)).matches;
  };
  const found = await Promise.all([
    ask({ step: 'previous', at: begin }), // what the begin cuts
    ask({ from: begin, to: end, limit: 10_000 }),
  ]);
  const covers = (slice: EventRef): number =>
    Math.min(end, slice.begin + slice.duration) - Math.max(begin, slice.begin);
  const inside = found.flat().filter(slice => covers(slice) > 0);
  return inside.sort((a, b) => covers(b) - covers(a))[0];
}

// Of two that take the same, the shorter one.
async function largestAt(run: Run, track: number, { begin, end }: Place): Promise<EventRef | undefined> {
  // Buckets of a 16th to an eighth: shorter slices cannot be the one.
  const level = Math.max(0, Math.floor(Math.log2(Math.max(1, end - begin))) - 3);
  const first = Math.floor(begin / 2 ** level);
  const buckets = Math.floor(end / 2 ** level) - first + 1;
  const query = { tracks: String(track), level, first, buckets };
  const sections = parseTile(await getTile(run.id, run.version, query, new AbortController().signal), 'any');
  let best: (EventRef & { covers: number }) | undefined;
  for (const { lane } of sections) {
    if (lane.kind !== 'slices') continue;
    lane.begin.forEach((at, i) => {
      const duration = lane.duration[i]!;
      const covers = Math.min(end, at + duration) - Math.max(begin, at);
      const better = !best || covers > best.covers || (covers === best.covers && duration < best.duration);
      if (covers > 0 && better)
        best = { track, event: lane.event[i]!, begin: at, duration, lane: lane.lane, covers };
    });
  }
  return best;
}
