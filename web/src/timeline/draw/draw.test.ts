import { describe, expect, it } from 'vitest';
import { bucketLabels, cutMiddle, cutTitle, laneLabels, type Paper, textFitter } from '../draw/labels';
import { paintCounter, paintSlices, type Target } from '../draw/paint';
import { mix, parseRgb, pixel } from '../draw/palette';
import { exampleLane, examplePiece } from '../tiles/example';
import type { CounterLane } from '../tiles/format';
import { bucketWidth, tileBegin } from '../tiles/plan';

const target = (width: number, height: number): Target => ({
  pixels: new Uint32Array(width * height),
  width,
  height,
});
const colors = { names: Uint32Array.of(11, 22, 33), fallback: 99 };

describe('paint', () => {
  const band = { y: 0, height: 10, top: 0, bottom: 10 };
  it('fills a slice from its begin to its end with a gap behind it', () => {
    const to = target(100, 10);
    const slices = exampleLane({
      begin: Float64Array.of(10),
      duration: Float64Array.of(20),
      name: Uint32Array.of(1),
      event: Uint32Array.of(0),
    });
    paintSlices(to, { from: 0, perPixel: 1 }, band, [{ piece: examplePiece, lane: slices }], colors, {
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
    const sums = exampleLane({
      busy: Float64Array.of(3, 1),
      bucket: Uint32Array.of(0, 5),
      count: Uint32Array.of(1, 1),
      bucketName: Uint32Array.of(2, 0),
      bucketEvent: Uint32Array.of(0, 0),
    });
    const stats = { slices: 0, buckets: 0 };
    paintSlices(to, { from: 0, perPixel: 6 }, band, [{ piece: examplePiece, lane: sums }], colors, stats);
    expect(stats.buckets).toBe(2);
    expect([...to.pixels].filter(p => p === 33).length).toBe(7); // (3 + 1) / 6 of 10
    expect(to.pixels[1]).toBe(0);
  });
  it('fades what is shorter or longer than asked for', () => {
    const to = target(100, 10);
    const slices = exampleLane({
      begin: Float64Array.of(10, 50),
      duration: Float64Array.of(20, 5),
      name: Uint32Array.of(1, 1),
      event: Uint32Array.of(0, 1),
    });
    const outside = { min: 10, max: 30, names: Uint32Array.of(44, 55, 66) };
    const axis = { from: 0, perPixel: 1 };
    paintSlices(
      to,
      axis,
      band,
      [{ piece: examplePiece, lane: slices }],
      { ...colors, outside },
      { slices: 0, buckets: 0 },
    );
    expect([to.pixels[15], to.pixels[52]]).toEqual([22, 55]);
  });
  it('keeps to its band', () => {
    const to = target(10, 10);
    const slices = exampleLane({
      begin: Float64Array.of(0),
      duration: Float64Array.of(10),
      name: Uint32Array.of(0),
      event: Uint32Array.of(0),
    });
    paintSlices(
      to,
      { from: 0, perPixel: 1 },
      { y: -5, height: 10, top: 2, bottom: 4 },
      [{ piece: examplePiece, lane: slices }],
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
    paintCounter(to, { from: 0, perPixel: 1 }, band, [{ piece: examplePiece, lane: counter }], 10, 7, 8, {
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
  const cut = textFitter(() => 6);
  const paperFrom = (from: number, perPixel = 1): Paper => ({
    axis: { from, perPixel },
    width: 800,
    nameOf: () => 'name',
    cut,
    most: 100,
    out: [],
  });
  it('are cut with an ellipsis, or left out', () => {
    expect(cut('abc', 18)).toBe('abc');
    expect(cut('abcdefgh', 30)).toBe('abcd…');
    expect(cut('abcdefgh', 10)).toBe('');
  });
  it('lose their middle where their ends tell them apart', () => {
    const by6 = cutMiddle(text => 6 * text.length);
    expect(by6('short name', 20)).toBe('short name');
    expect(by6('tf_XLATfrtCpuClient/12345', 150)).toBe('tf_XLATfrtCpuClient/12345');
    expect(by6('tf_XLATfrtCpuClient/12345', 120)).toBe('tf_XLATfrt…ent/12345');
    expect(by6('tf_XLATfrtCpuClient/12345', 40)).toBe('tf_XLATfrtCpuClient/12345'); // the style sheet's turn
  });
  it('of rows keep what tells them apart', () => {
    const by6 = cutTitle(text => 6 * text.length);
    expect(by6('Stream #16(MemcpyD2H)', 130)).toBe('Stream #16(MemcpyD2H)');
    expect(by6('Stream #16(MemcpyD2H)', 100)).toBe('#16 MemcpyD2H');
    expect(by6('Stream #16(MemcpyD2H)', 60)).toBe('#16 D2H');
    expect(by6('Stream #13(Memset,MemcpyH2D,Compute)', 100)).toBe('#13 Memset,H2D,…');
    expect(by6('copies host to device', 100)).toBe('host to device');
    expect(by6('tf_XLATfrtCpuClient/12345', 120)).toBe('tf_XLATfrt…ent/12345');
  });
  it('stand on slices that are wide enough, once', () => {
    const slices = exampleLane({
      begin: Float64Array.of(0, 600),
      duration: Float64Array.of(500, 10),
      name: Uint32Array.of(0, 1),
      event: Uint32Array.of(0, 1),
    });
    const paper = paperFrom(100);
    laneLabels(paper, slices, examplePiece, 5);
    expect(paper.out).toEqual([{ x: 4, y: 5, text: 'name' }]);
    laneLabels(paper, slices, { ...examplePiece, from: 300 }, 5);
    expect(paper.out).toHaveLength(1);
  });
  it('stand on buckets in a row that one name fills', () => {
    const size = bucketWidth(examplePiece.tile.level);
    const buckets = exampleLane({
      busy: Float64Array.of(size, size, size, size / 2, size),
      bucket: Uint32Array.of(0, 1, 2, 3, 4),
      count: Uint32Array.of(1, 1, 1, 1, 1),
      bucketName: Uint32Array.of(0, 0, 1, 1, 1),
    });
    const paper = paperFrom(tileBegin(examplePiece.tile), size / 40); // a bucket is 40 pixels wide
    bucketLabels(paper, buckets, examplePiece, 5);
    expect(paper.out.map(label => label.x)).toEqual([4, 84, 164]);
  });
});
