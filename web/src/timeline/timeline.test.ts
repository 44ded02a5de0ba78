import { describe, expect, it } from 'vitest';
import { type Label, laneLabels, textFitter } from './draw/labels';
import { paintCounter, paintSlices, type Target } from './draw/paint';
import { mix, parseRgb, pixel } from './draw/palette';
import { commandOf, timelineKeys } from './keys';
import { ruler } from './scales/ruler';
import { clampView, focusView, panView, toTime, toX, wholeSpan, zoomView } from './scales/view';
import { hitLane, lastAtMost } from './selection/hit';
import { type CounterLane, merged, parseTile, type SliceLane } from './tiles/format';
import { levelFor, pieces, type TileId, tileBegin, tilesOf } from './tiles/plan';
import { TileStore } from './tiles/store';
import { layoutRows, rowAt, tileName } from './tracks/rows';

const span = [0, 1e12] as const;

describe('view', () => {
  it('maps times to pixels and back', () => {
    const view = { from: 1e9, to: 2e9 };
    expect(toX(view, 1000, 1.5e9)).toBe(500);
    expect(toTime(view, 1000, 250)).toBe(1.25e9);
  });
  it('keeps the time under the pointer when it zooms', () => {
    const view = { from: 1e9, to: 2e9 };
    const next = zoomView(view, 0.5, 0.25, span);
    expect(toTime(next, 100, 25)).toBeCloseTo(toTime(view, 100, 25));
    expect(next.to - next.from).toBeCloseTo(5e8);
  });
  it('stays within the span and above a nanosecond', () => {
    expect(clampView({ from: 5, to: 6 }, span).to - clampView({ from: 5, to: 6 }, span).from).toBe(1000);
    const out = panView({ from: 0, to: 1e9 }, -1e15, span);
    expect(out.from).toBeGreaterThanOrEqual(-1e12);
    expect(zoomView(wholeSpan(span), 1000, 0.5, span).to).toBeLessThanOrEqual(1.1e12);
  });
  it('focuses a slice of no length too', () => {
    const view = focusView(5e11, 0, span);
    expect((view.from + view.to) / 2).toBeCloseTo(5e11);
  });
});

describe('ruler', () => {
  it('labels round times in one unit', () => {
    const ticks = ruler({ from: 0, to: 20e9 }, 1000);
    expect(ticks.map(tick => tick.label)).toContain('10 ms');
    expect(ticks[0]).toEqual({ x: 0, label: '0' });
    expect(ruler({ from: 1_000_000_000_000, to: 1_000_000_400_000 }, 500).map(tick => tick.label)).toContain(
      '1000.0002 ms',
    );
  });
  it('has no more ticks than fit', () => {
    for (const size of [1e3, 3.7e6, 9.9e11])
      expect(ruler({ from: 17, to: 17 + size }, 900).length).toBeLessThan(10);
  });
});

describe('tiles', () => {
  it('have buckets no wider than a pixel', () => {
    expect(levelFor(1)).toBe(0);
    expect(levelFor(1023)).toBe(9);
    expect(levelFor(1024)).toBe(10);
    expect(levelFor(0.001)).toBe(0);
  });
  it('cover the window', () => {
    const tiles = tilesOf({ from: -10, to: 2 ** 20 + 10 }, 8);
    expect(tiles[0]!.index).toBe(-1);
    expect(tileBegin(tiles.at(-1)!)).toBeLessThanOrEqual(2 ** 20 + 10);
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
});

const target = (width: number, height: number): Target => ({
  pixels: new Uint32Array(width * height),
  width,
  height,
});
const lane = (more: Partial<SliceLane>): SliceLane => ({
  kind: 'slices',
  lane: 0,
  begin: new Float64Array(),
  duration: new Float64Array(),
  name: new Uint32Array(),
  event: new Uint32Array(),
  busy: new Float64Array(),
  bucket: new Uint32Array(),
  count: new Uint32Array(),
  bucketName: new Uint32Array(),
  bucketEvent: new Uint32Array(),
  ...more,
});
const piece = { tile: { level: 0, index: 0 }, from: 0, to: 1024 };
const colors = { names: Uint32Array.of(11, 22, 33), fallback: 99 };

describe('paint', () => {
  const band = { y: 0, height: 10, top: 0, bottom: 10 };
  it('fills a slice from its begin to its end with a gap behind it', () => {
    const to = target(100, 10);
    const slices = lane({
      begin: Float64Array.of(10),
      duration: Float64Array.of(20),
      name: Uint32Array.of(1),
      event: Uint32Array.of(0),
    });
    paintSlices(to, { from: 0, perPixel: 1 }, band, [{ piece, lane: slices }], colors, {
      slices: 0,
      buckets: 0,
    });
    const row = [...to.pixels.subarray(0, 100)];
    expect(row.indexOf(22)).toBe(10);
    expect(row.lastIndexOf(22)).toBe(28);
    expect(to.pixels.filter(p => p === 22).length).toBe(19 * 10);
  });
  it('makes a column as high as it is busy, in the colour of what is heaviest', () => {
    const to = target(4, 10);
    const sums = lane({
      busy: Float64Array.of(3, 1),
      bucket: Uint32Array.of(0, 5),
      count: Uint32Array.of(1, 1),
      bucketName: Uint32Array.of(2, 0),
      bucketEvent: Uint32Array.of(0, 0),
    });
    const stats = { slices: 0, buckets: 0 };
    paintSlices(to, { from: 0, perPixel: 6 }, band, [{ piece, lane: sums }], colors, stats);
    expect(stats.buckets).toBe(2);
    expect([...to.pixels].filter(p => p === 33).length).toBe(7); // (3 + 1) / 6 of 10
    expect(to.pixels[1]).toBe(0);
  });
  it('keeps to its band', () => {
    const to = target(10, 10);
    const slices = lane({
      begin: Float64Array.of(0),
      duration: Float64Array.of(10),
      name: Uint32Array.of(0),
      event: Uint32Array.of(0),
    });
    paintSlices(
      to,
      { from: 0, perPixel: 1 },
      { y: -5, height: 10, top: 2, bottom: 4 },
      [{ piece, lane: slices }],
      colors,
      { slices: 0, buckets: 0 },
    );
    expect([...to.pixels].filter(p => p === 11).length).toBe(2 * 9);
  });
  it('draws a counter as an area, each value until the next', () => {
    const to = target(10, 10);
    const counter: CounterLane = {
      kind: 'counter',
      lane: 0,
      low: Float64Array.of(0, 0),
      high: Float64Array.of(5, 10),
      mean: Float64Array.of(5, 10),
      last: Float64Array.of(5, 10),
      bucket: Uint32Array.of(0, 6),
    };
    paintCounter(to, { from: 0, perPixel: 1 }, band, [{ piece, lane: counter }], 10, 7, 8, {
      slices: 0,
      buckets: 0,
    });
    const heights = Array.from(
      { length: 10 },
      (_, x) => [...to.pixels].filter((p, i) => i % 10 === x && p !== 0).length,
    );
    expect(heights).toEqual([5, 5, 5, 5, 5, 5, 10, 10, 10, 10]);
  });
  it('has colours as bytes of an ImageData', () => {
    expect(pixel(parseRgb('rgb(1, 2, 3)'))).toBe(0xff030201);
    expect(mix([0, 0, 0], [100, 200, 50], 0.5)).toEqual([50, 100, 25]);
  });
});

describe('labels', () => {
  const fit = textFitter(() => 6);
  it('are cut with an ellipsis, or left out', () => {
    expect(fit('abc', 18)).toBe('abc');
    expect(fit('abcdefgh', 30)).toBe('abcd…');
    expect(fit('abcdefgh', 10)).toBe('');
  });
  it('stand on slices that are wide enough, once', () => {
    const slices = lane({
      begin: Float64Array.of(0, 600),
      duration: Float64Array.of(500, 10),
      name: Uint32Array.of(0, 1),
      event: Uint32Array.of(0, 1),
    });
    const out: Label[] = [];
    laneLabels(slices, piece, { from: 100, perPixel: 1 }, 800, 5, () => 'name', fit, out, 100);
    expect(out).toEqual([{ x: 4, y: 5, text: 'name' }]);
    laneLabels(
      slices,
      { ...piece, from: 300 },
      { from: 100, perPixel: 1 },
      800,
      5,
      () => 'name',
      fit,
      out,
      100,
    );
    expect(out).toHaveLength(1);
  });
});

describe('hit testing', () => {
  const both = lane({
    begin: Float64Array.of(100, 300),
    duration: Float64Array.of(50, 50),
    name: Uint32Array.of(1, 2),
    event: Uint32Array.of(10, 11),
    busy: Float64Array.of(0.5),
    bucket: Uint32Array.of(200),
    count: Uint32Array.of(4),
    bucketName: Uint32Array.of(0),
    bucketEvent: Uint32Array.of(7),
  });
  it('finds slices and buckets, and nothing where nothing is', () => {
    expect(hitLane(both, piece, 120, 0)).toMatchObject({ kind: 'slice', event: 10 });
    expect(hitLane(both, piece, 200.5, 0)).toMatchObject({ kind: 'bucket', event: 7, count: 4 });
    expect(hitLane(both, piece, 250, 0)).toBeUndefined();
    expect(hitLane(both, piece, 297, 5)).toMatchObject({ event: 11 });
    expect(hitLane(both, piece, 2000, 0)).toBeUndefined();
  });
  it('searches by halves', () => {
    expect(lastAtMost([1, 3, 5], 4)).toBe(1);
    expect(lastAtMost([1, 3, 5], 0)).toBe(-1);
  });
});

describe('rows', () => {
  const track = (key: string, more = {}) =>
    ({
      key,
      kind: 'track',
      title: key,
      track: 1,
      type: 'stream',
      draw: 'slices',
      lanes: 2,
      events: 1,
      ...more,
    }) as const;
  const tree = [
    {
      key: 'vm',
      kind: 'host',
      title: 'vm',
      children: [
        {
          key: 'gpu',
          kind: 'device',
          title: 'GPU 0',
          children: [track('s14'), track('busy', { type: 'busy' })],
        },
        {
          key: 'p',
          kind: 'process',
          title: 'threads',
          children: [track('deep', { type: 'thread', lanes: 30 })],
        },
      ],
    },
  ] as const;
  const state = { folded: new Set<string>(), pinned: [], order: new Map(), filter: '' };
  it('lie below each other without gaps', () => {
    const { rows, height } = layoutRows(tree, state);
    expect(rows.map(row => row.key)).toEqual(['vm', 'gpu', 's14', 'p', 'deep']);
    let y = 0;
    for (const row of rows) {
      expect(row.y).toBe(y);
      y += row.height;
    }
    expect(height).toBe(y);
    expect(rowAt(rows, rows[2]!.y)?.key).toBe('s14');
    expect(rowAt(rows, height)).toBeUndefined();
  });
  it('fold tracks of many lanes into one row', () => {
    const { rows } = layoutRows(tree, state);
    expect(tileName(rows.find(row => row.key === 'deep')!)).toBe('1m');
    expect(tileName(rows.find(row => row.key === 's14')!)).toBe('1');
    const unfolded = layoutRows(tree, { ...state, folded: new Set(['deep']) }).rows.find(
      row => row.key === 'deep',
    )!;
    expect(unfolded.lanes).toBe(30);
  });
  it('can be folded, filtered and pinned', () => {
    expect(layoutRows(tree, { ...state, folded: new Set(['gpu']) }).rows.map(row => row.key)).toEqual([
      'vm',
      'gpu',
      'p',
      'deep',
    ]);
    expect(layoutRows(tree, { ...state, filter: 's14' }).rows.map(row => row.key)).toEqual([
      'vm',
      'gpu',
      's14',
    ]);
    const pinned = layoutRows(tree, { ...state, pinned: ['s14'] });
    expect(pinned.pinned.map(row => row.key)).toEqual(['s14']);
    expect(pinned.pinnedHeight).toBeGreaterThan(0);
  });
  it('can be moved', () => {
    const moved = layoutRows(tree, { ...state, order: new Map([['p', -1]]) });
    expect(moved.rows.map(row => row.key)).toEqual(['vm', 'p', 'deep', 'gpu', 's14']);
  });
});

describe('keys', () => {
  it('are known to the handler as the help shows them', () => {
    expect(commandOf('w')).toBe('zoomIn');
    expect(commandOf('W')).toBe('zoomIn');
    expect(commandOf('Escape')).toBe('clear');
    expect(commandOf('N')).toBe('previousMatch');
    expect(commandOf('q')).toBeUndefined();
    expect(timelineKeys.every(entry => entry.shown !== '' && entry.does !== '')).toBe(true);
  });
});
