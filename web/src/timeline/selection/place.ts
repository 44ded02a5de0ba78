// A slice by its place, for links of pages that know a device and a time but no numbers of tracks:
// "TRACK@BEGIN-END" with the key of the track.
import { type EventRef, getTile } from '../api';
import { parseTile } from '../tiles/format';

export interface Place {
  readonly key: string;
  readonly begin: number;
  readonly end: number;
}

// Of a track that is derived for a device: "steps", "idle".
export const placeOn = (host: string, device: string, title: string, begin: number, length: number): string =>
  `${host}/${device}//${title}@${Math.round(begin)}-${Math.round(begin + length)}`;

export function parsePlace(text: string): Place | undefined {
  const match = /^(.+)@(-?\d+)-(-?\d+)$/.exec(text);
  return match ? { key: match[1]!, begin: Number(match[2]), end: Number(match[3]) } : undefined;
}

// The slice that takes most of that time; of two that take the same, the shorter one.
export async function sliceAt(
  run: { readonly id: string; readonly version: string },
  track: number,
  { begin, end }: Place,
): Promise<EventRef | undefined> {
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
