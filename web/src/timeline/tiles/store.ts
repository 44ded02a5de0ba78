// Tiles that were fetched, and fetching those that are wanted now. What was wanted a moment ago and has not
// been asked for yet is forgotten, so a fast pan does not queue up.
import { type Lane, parseTile } from './format';
import { type TileId, tileBuckets } from './plan';

export interface TrackTile {
  readonly lanes: readonly Lane[];
}

export interface Wanted {
  readonly tile: TileId;
  readonly tracks: readonly string[]; // "7", or "7m" for all lanes merged
}

export type FetchTile = (
  query: { tracks: string; level: number; first: number; buckets: number },
  signal: AbortSignal,
) => Promise<ArrayBuffer>;

const atOnce = 4;
const tracksAtOnce = 100;
const keptBytes = 96e6;
const againMs = 2000;

export class TileStore {
  private readonly tiles = new Map<string, TrackTile>();
  private readonly asked = new Set<string>();
  private readonly stop = new AbortController();
  private pending: Wanted[] = [];
  private inFlight = 0;
  private bytes = 0;
  private readonly sizes = new Map<string, number>();
  readonly stats = { requests: 0, bytes: 0, largest: 0 };

  constructor(
    private readonly fetchTile: FetchTile,
    private readonly onChange: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  private key(track: string, tile: TileId): string {
    return `${track}/${tile.level}/${tile.index}`;
  }

  get(track: string, tile: TileId): TrackTile | undefined {
    return this.tiles.get(this.key(track, tile));
  }

  has(track: string, tile: TileId): boolean {
    return this.tiles.has(this.key(track, tile));
  }

  get idle(): boolean {
    return this.inFlight === 0 && this.pending.length === 0;
  }

  // In the order of importance. Replaces what was wanted before.
  want(list: readonly Wanted[]): void {
    this.pending = [];
    for (const { tile, tracks } of list) {
      const missing = tracks.filter(track => {
        const key = this.key(track, tile);
        return !this.tiles.has(key) && !this.asked.has(key);
      });
      for (let i = 0; i < missing.length; i += tracksAtOnce)
        this.pending.push({ tile, tracks: missing.slice(i, i + tracksAtOnce) });
    }
    this.pump();
  }

  close(): void {
    this.pending = [];
    this.stop.abort();
  }

  private pump(): void {
    while (this.inFlight < atOnce && !this.stop.signal.aborted) {
      const next = this.pending.shift();
      if (!next) return;
      void this.load(next);
    }
  }

  private async load({ tile, tracks }: Wanted): Promise<void> {
    ++this.inFlight;
    ++this.stats.requests;
    for (const track of tracks) this.asked.add(this.key(track, tile));
    const forget = (): void => {
      for (const track of tracks) this.asked.delete(this.key(track, tile));
    };
    try {
      const query = {
        tracks: tracks.join(','),
        level: tile.level,
        first: tile.index * tileBuckets,
        buckets: tileBuckets,
      };
      this.keep(tile, tracks, await this.fetchTile(query, this.stop.signal));
      forget();
    } catch (error) {
      // Not at once again: the next frame would ask for it, and the one after that.
      setTimeout(() => {
        forget();
        if (!this.stop.signal.aborted) this.onChange();
      }, againMs);
      if (!this.stop.signal.aborted) this.onError(error);
    }
    --this.inFlight;
    if (this.stop.signal.aborted) return;
    this.onChange();
    this.pump();
  }

  private keep(tile: TileId, tracks: readonly string[], buffer: ArrayBuffer): void {
    this.stats.bytes += buffer.byteLength;
    this.stats.largest = Math.max(this.stats.largest, buffer.byteLength);
    const lanes = new Map<string, Lane[]>(tracks.map(track => [track, []]));
    for (const section of parseTile(buffer)) {
      const own = lanes.get(String(section.track)) ?? lanes.get(`${section.track}m`);
      own?.push(section.lane);
    }
    const share = buffer.byteLength / tracks.length;
    for (const [track, list] of lanes) {
      const key = this.key(track, tile);
      this.tiles.set(key, { lanes: list });
      this.sizes.set(key, share);
      this.bytes += share;
    }
    for (const [key, size] of this.sizes) {
      if (this.bytes <= keptBytes) break;
      this.tiles.delete(key);
      this.sizes.delete(key);
      this.bytes -= size;
    }
  }
}
