import { describe, expect, it, vi } from 'vitest';
import { merged, parseTile, type SliceLane } from '../tiles/format';
import { levelFor, pieces, type TileId, tileBegin, tilesOf } from '../tiles/plan';
import { TileStore } from '../tiles/store';

describe('tiles', () => {
  it('have buckets no wider than what is seen', () => {
    expect(levelFor(1)).toBe(0);
    expect(levelFor(1023)).toBe(9);
    expect(levelFor(1024)).toBe(10);
    expect(levelFor(0.001)).toBe(0);
    expect(levelFor(2 ** 60)).toBe(48); // the server has no coarser ones
  });
  it('cover the window', () => {
    const tiles = tilesOf({ from: -10, to: 2 ** 20 + 10 }, 8);
    expect(tiles[0]!.index).toBe(-1);
    expect(tileBegin(tiles.at(-1)!)).toBeLessThanOrEqual(2 ** 20 + 10);
    expect(tileBegin(tilesOf({ from: 0, to: 2 ** 62 }, 48).at(-1)!)).toBe(2 ** 61); // and not beyond all time
  });
  it('are replaced by coarser ones, else by finer ones, until they come', () => {
    const there = (list: readonly TileId[]) => (tile: TileId) =>
      list.some(other => other.level === tile.level && other.index === tile.index);
    const wanted = { level: 10, index: 6 };
    expect(pieces(wanted, there([wanted]))).toHaveLength(1);
    expect(pieces(wanted, there([{ level: 12, index: 1 }]))[0]).toMatchObject({
      tile: { level: 12, index: 1 },
      from: tileBegin(wanted),
    });
    expect(pieces(wanted, there([{ level: 9, index: 13 }]))).toHaveLength(1);
    expect(pieces(wanted, there([]))).toEqual([]);
  });
});

// One tile of one track with one slice and one bucket, as the server writes it.
function tileBytes(track: number, lane: number): ArrayBuffer {
  const buffer = new ArrayBuffer(32 + 24 + 8 * 3 + 4 * 4 + 4 * 2);
  const view = new DataView(buffer);
  [0x4c495447, 1, 4, 1024].forEach((value, i) => {
    view.setUint32(4 * i, value, true);
  });
  view.setUint32(24, 1, true);
  [track, lane, 0, 1, 1, 24 + 48].forEach((value, i) => {
    view.setUint32(32 + 4 * i, value, true);
  });
  [160, 320, 8].forEach((value, i) => {
    view.setFloat64(56 + 8 * i, value, true);
  });
  [2, 3, 7, 40, 9, 41].forEach((value, i) => {
    view.setUint32(80 + 4 * i, value, true);
  });
  return buffer;
}

describe('tile format', () => {
  it('is read as it is written', () => {
    const [section] = parseTile(tileBytes(5, 0));
    const lane = section!.lane as SliceLane;
    expect(section!.track).toBe(5);
    expect([lane.begin[0], lane.duration[0], lane.name[0], lane.event[0]]).toEqual([160, 320, 9, 41]);
    expect([lane.busy[0], lane.bucket[0], lane.count[0], lane.bucketName[0], lane.bucketEvent[0]]).toEqual([
      8, 2, 3, 7, 40,
    ]);
  });
  it('refuses what it does not know', () => {
    expect(() => parseTile(new ArrayBuffer(8))).toThrow('not a tile');
    expect(() => parseTile(tileBytes(1, 0).slice(0, 60))).toThrow();
  });
});

describe('tile store', () => {
  it('asks once for a tile, keeps empty ones, and forgets what is no longer wanted', async () => {
    const asked: string[] = [];
    const store = new TileStore(
      async query => {
        asked.push(`${query.tracks}@${query.level}:${query.first}`);
        return tileBytes(5, merged);
      },
      () => {},
      error => {
        throw error;
      },
    );
    const tile = { level: 4, index: 0 };
    store.want([{ tile, tracks: ['5m', '6'] }]);
    store.want([{ tile, tracks: ['5m', '6'] }]);
    await new Promise(done => setTimeout(done, 0));
    expect(asked).toEqual(['5m,6@4:0']);
    expect(store.get('5m', tile)!.lanes).toHaveLength(1);
    expect(store.get('6', tile)!.lanes).toHaveLength(0);
    store.want(Array.from({ length: 50 }, (_, index) => ({ tile: { level: 3, index }, tracks: ['1'] })));
    store.want([]);
    await new Promise(done => setTimeout(done, 0));
    expect(asked.length).toBeLessThanOrEqual(1 + 4);
  });
  it('that failed are asked for again after a while, nobody moving the view', async () => {
    vi.useFakeTimers();
    const wanted = [{ tile: { level: 4, index: 0 }, tracks: ['5'] }];
    let asked = 0;
    let failed = 0;
    const store: TileStore = new TileStore(
      async () => {
        if (++asked === 1) throw new Error('the server is away');
        return tileBytes(5, merged);
      },
      () => store.want(wanted), // as a frame does that is drawn anew
      () => ++failed,
    );
    store.want(wanted);
    await vi.advanceTimersByTimeAsync(100);
    expect([asked, failed]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(3000);
    expect([asked, failed]).toEqual([2, 1]);
    expect(store.has('5', wanted[0]!.tile)).toBe(true);
    vi.useRealTimers();
  });
});
