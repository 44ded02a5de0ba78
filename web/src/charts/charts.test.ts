import { describe, expect, it } from 'vitest';
import { moveBrush, placeAmong } from './brush';
import { overlay } from './overlay';
import { bulk, type Dot, dotAt, freeStretch, logPosition, logScale, spread } from './scatter';
import { halfBar, highestOf, mergeSmall, namedSplits, rectangles, stack } from './stack';
import { byteTicks, decades, linearTicks } from './ticks';
import { buildTree, changeColor, findNode, icicle, labelOf, moveInIcicle, treeOfStacks } from './tree';
import { treemap } from './treemap';
import { waterfall } from './waterfall';

describe('stack', () => {
  it('names bars at round numbers, wherever they begin', () => {
    const from = (first: number): number[] => Array.from({ length: 120 }, (_, i) => first + i);
    expect(namedSplits(from(0), -0.6, 119.6, 50)).toEqual([0, 50, 100]);
    expect(namedSplits(from(1), -0.6, 119.6, 50)).toEqual([49, 99]);
    expect(namedSplits(['1', '2', '3'], -0.6, 2.6, 1)).toEqual([0, 1, 2]);
    expect(namedSplits([1, 2, 3, 4], -0.6, 3.6, 0.2)).toEqual([0, 1, 2, 3]);
    expect(namedSplits(from(0), -0.6, 9.6, 2.5)).toEqual([0, 3, 6, 9]);
    expect(namedSplits([1, 8], -0.6, 1.6, 1)).toEqual([0, 1]);
    expect(namedSplits([], -0.6, 0.6, 1)).toEqual([0]);
  });
  it('sums upwards and leaves out parts that are nowhere', () => {
    const { parts, sums } = stack([
      { name: 'a', color: '', values: [1, 2] },
      { name: 'none', color: '', values: [0, 0] },
      { name: 'b', color: '', values: [10, 20] },
    ]);
    expect(parts.map(part => part.name)).toEqual(['a', 'b']);
    expect(sums).toEqual([
      [1, 2],
      [11, 22],
    ]);
  });
  it('stacks what is below 0 downwards', () => {
    const { sums } = stack([
      { name: 'a', color: '', values: [1, -2] },
      { name: 'b', color: '', values: [-3, -4] },
      { name: 'c', color: '', values: [5, 6] },
    ]);
    expect(sums).toEqual([
      [1, -2],
      [-3, -6],
      [6, 6],
    ]);
  });
});

describe('difference of stacks', () => {
  const tree = treeOfStacks(
    [
      { frames: ['main', 'grow'], value: 8, before: 2 },
      { frames: ['main', 'gone'], value: 0, before: 4 },
      { frames: ['main', 'same'], value: 3, before: 3 },
    ],
    'all',
    () => '',
  );
  it('is as wide as the larger side and keeps both', () => {
    expect(tree.value).toBe(15);
    expect([tree.before, tree.after]).toEqual([9, 11]);
    expect(tree.children[0]!.children.map(node => node.value)).toEqual([8, 4, 3]);
  });
  it('is coloured by its sign', () => {
    expect(changeColor(tree)).toBe('grown');
    expect(tree.children[0]!.children.map(changeColor)).toEqual(['grown', 'shrunk', 'idle']);
  });
});

describe('bars', () => {
  const bar = (left: number, right: number, top: number) => ({ left, right, top });
  it('lie on whole pixels and are at least one wide', () => {
    expect(rectangles([bar(0.4, 3.6, 7.2), bar(4.1, 4.3, 2)])).toEqual([bar(0, 4, 7), bar(4, 5, 2)]);
  });
  it('are no more than there are pixels; the highest is seen', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => bar(i / 100, i / 100 + 0.01, 500 - (i % 100)));
    const drawn = rectangles(many);
    expect(drawn.length).toBeLessThanOrEqual(101);
    expect(drawn.every(one => one.top <= 451)).toBe(true);
  });
});

describe('labels of cells', () => {
  it('tell cells apart where only a few letters fit', () => {
    const by7 = (text: string): number => 7 * text.length + (text.includes('…') ? 5 : 0);
    expect(labelOf('layer_8', 70, by7)).toBe('layer_8');
    expect(labelOf('layer_8', 21, by7)).toBe('8'); // not "…8" beside "12"
    expect(labelOf('layer_8', 14, by7)).toBe('8');
    expect(labelOf('layer_12', 14, by7)).toBe('12');
    expect(labelOf('layer_12', 7, by7)).toBe('');
    expect(labelOf('attention', 33, by7)).toBe('att…');
    expect(labelOf('attention', 28, by7)).toBe('');
    expect(labelOf('loop_fusion_123', 75, by7)).toBe('loop_f…123');
  });
});

describe('many bars', () => {
  it('have gaps where there is room for them, and else none', () => {
    expect(2 * halfBar(20, 1)).toBeLessThan(19);
    expect(2 * halfBar(2.4, 1)).toBe(2.4);
    const pitch = 2.4;
    const bars = Array.from({ length: 50 }, (_, i) => ({
      left: i * pitch - halfBar(pitch, 1),
      right: i * pitch + halfBar(pitch, 1),
      top: 0,
    }));
    const drawn = rectangles(bars);
    for (let i = 1; i < drawn.length; ++i) expect(drawn[i]!.left).toBeLessThanOrEqual(drawn[i - 1]!.right);
  });
});

describe('tree', () => {
  const row = (name: string, depth: number, value: number) => ({ name, depth, value, color: '' });
  const tree = buildTree([row('a', 0, 6), row('x', 1, 2), row('y', 1, 4), row('b', 0, 4)], 'all');
  it('is built from rows in depth-first order', () => {
    expect(tree.value).toBe(10);
    expect(tree.children.map(child => child.name)).toEqual(['a', 'b']);
    expect(findNode(tree, 'a\u001fy')?.value).toBe(4);
    expect(findNode(tree, 'nosuch')).toBeUndefined();
  });
  it('lies as an icicle, the largest child first', () => {
    const cells = icicle(tree, 0);
    const of = (name: string) => cells.find(cell => cell.node.name === name)!;
    expect(of('a')).toMatchObject({ depth: 1, left: 0, width: 0.6 });
    expect(of('y').left).toBe(0);
    expect(of('x').left).toBeCloseTo(0.4);
    expect(of('b').left).toBeCloseTo(0.6);
  });
  it('leaves out what is too narrow, and never spills over a parent', () => {
    expect(icicle(tree, 0.3).map(cell => cell.node.name)).toEqual(['all', 'a', 'y', 'b']);
    const odd = icicle(buildTree([row('p', 0, 1), row('q', 1, 2), row('r', 1, 2)], ''), 0);
    expect(odd.every(cell => cell.left + cell.width <= 1.000001)).toBe(true);
  });
  it('is built from stacks', () => {
    const stacks = treeOfStacks(
      [
        { frames: ['main', 'f'], value: 3 },
        { frames: ['main', 'g'], value: 1 },
      ],
      'heap',
      () => 'host',
    );
    expect(stacks.value).toBe(4);
    expect(stacks.children[0]!.value).toBe(4);
    expect(stacks.children[0]!.children.map(child => [child.name, child.value])).toEqual([
      ['f', 3],
      ['g', 1],
    ]);
  });
});

describe('treemap', () => {
  it('covers the whole with areas of the given ratios', () => {
    const values = [6, 6, 4, 3, 2, 2, 1];
    const rects = treemap(values, 600, 400);
    expect(rects).toHaveLength(values.length);
    for (const rect of rects) {
      expect(rect.width * rect.height).toBeCloseTo((values[rect.index]! / 24) * 240_000, 3);
      expect(rect.x + rect.width).toBeLessThanOrEqual(600.0001);
      expect(rect.y + rect.height).toBeLessThanOrEqual(400.0001);
      expect(Math.max(rect.width / rect.height, rect.height / rect.width)).toBeLessThan(4);
    }
  });
  it('has nothing to show for nothing', () => {
    expect(treemap([], 10, 10)).toEqual([]);
    expect(treemap([0, 0], 10, 10)).toEqual([]);
    expect(treemap([1, 0], 10, 10)).toHaveLength(1);
  });
});

describe('ticks', () => {
  it('are round and inside', () => {
    expect(linearTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(linearTicks(3, 3, 5)).toEqual([]);
    expect(decades(0.5, 2000)).toEqual([1, 10, 100, 1000]);
    expect(decades(0, 10)).toEqual([]);
  });
  it('of bytes are enough to read a size off, also where all have nearly the same', () => {
    expect(byteTicks(1, 1e6)).toEqual([1, 32, 1024, 32768]);
    expect(byteTicks(1e4, 1e5)).toEqual([16384, 32768, 65536]);
  });
});

describe('scatter', () => {
  it('puts decades at equal distances', () => {
    const scale = logScale([3, 400, 0, Number.NaN], 300);
    expect(scale).toMatchObject({ low: 1, high: 1000 });
    expect(logPosition(scale, 10)).toBeCloseTo(100);
    expect(logPosition(scale, 1000)).toBeCloseTo(300);
  });
  it('leaves room around a dot at a whole decade', () => {
    expect(logScale([1e11, 3e12], 300).low).toBe(1e10);
    expect(logScale([1.2e11, 3e12], 300).low).toBe(1e10);
    expect(logScale([2e11, 3e12], 300).low).toBe(1e11);
  });
  it('spreads names that would overlap, in their order and within the edges', () => {
    expect(spread([], 20, 0, 100)).toEqual([]);
    expect(spread([80, 10], 20, 0, 100)).toEqual([80, 10]);
    expect(spread([50, 50], 20, 0, 100)).toEqual([40, 60]);
    expect(spread([60, 50, 10], 20, 0, 100)).toEqual([65, 45, 10]);
    expect(spread([-30, 2], 20, 0, 100)).toEqual([0, 20]);
    expect(spread([99, 100, 75], 20, 0, 100)).toEqual([80, 100, 60]);
    expect(spread([5, 5, 5], 50, 0, 100)).toEqual([0, 50, 100]);
  });
  it('writes along a line where the fewest dots are in the way', () => {
    const above = { low: -20, high: -4 };
    const level = { x: 100, y: 50, angle: 0 };
    const free = (dots: readonly Dot[], end = 300): number => freeStretch(dots, level, above, 40, 16, end);
    expect(free([])).toBe(16);
    expect(free([{ x: 130, y: 80, radius: 5 }])).toBe(16); // below the line
    expect(free([{ x: 130, y: 40, radius: 5 }])).toBe(40);
    expect(free([{ x: 130, y: 40, radius: 5 }], 60)).toBe(16); // nowhere else to go
    // A line that goes straight up: above it is to its left.
    const up = { x: 0, y: 100, angle: -Math.PI / 2 };
    expect(freeStretch([{ x: 10, y: 70, radius: 5 }], up, above, 40, 16, 300)).toBe(16);
    expect(freeStretch([{ x: -10, y: 70, radius: 5 }], up, above, 40, 16, 300)).toBe(40);
  });
  it('hits the nearest dot within reach', () => {
    const dots = [
      { x: 10, y: 10, radius: 5 },
      { x: 30, y: 10, radius: 2 },
    ];
    expect(dotAt(dots, 12, 10)).toBe(0);
    expect(dotAt(dots, 27, 10)).toBe(1);
    expect(dotAt(dots, 100, 100)).toBe(-1);
  });
});

describe('waterfall', () => {
  it('begins each change where the one before ended, and parts where theirs begins', () => {
    const bars = waterfall([
      { delta: 6, depth: 0, total: false },
      { delta: 8, depth: 1, total: false },
      { delta: -2, depth: 1, total: false },
      { delta: -4, depth: 0, total: false },
      { delta: 2, depth: 0, total: true },
    ]);
    expect(bars.map(bar => [bar.left, bar.width])).toEqual([
      [0, 75],
      [0, 100],
      [75, 25],
      [25, 50],
      [0, 25],
    ]);
  });
  it('goes to the left of the start for less', () => {
    expect(waterfall([{ delta: -5, depth: 0, total: false }])).toEqual([{ left: 0, width: 100 }]);
    expect(waterfall([{ delta: 0, depth: 0, total: false }])).toEqual([{ left: 0, width: 0 }]);
  });
});

describe('overlay', () => {
  it('puts both sets into the same bins', () => {
    const found = overlay([10, 10, 10], [20, 21]);
    expect(found.before.reduce((a, b) => a + b)).toBeCloseTo(1);
    expect(found.after.reduce((a, b) => a + b)).toBeCloseTo(1);
    expect(found.low).toBeLessThan(10);
    expect(found.high).toBeGreaterThan(21);
    expect(found.medians[0]).toBeLessThan(found.medians[1]);
  });
  it('has room for values that are all the same', () => {
    expect(overlay([5], [5]).before.filter(share => share > 0)).toEqual([1]);
  });
});

describe('bulk', () => {
  it('leaves out the least that weigh next to nothing, never the largest', () => {
    expect(bulk([1e9, 1, 1e6, 1e12], [5e4, 1, 5e4, 0])).toEqual([1e6, 1e9, 1e12]);
    expect(bulk([1, 2], [1, 1])).toEqual([1, 2]);
    expect(bulk([], [])).toEqual([]);
  });
});

describe('parts too small to see', () => {
  const part = (name: string, ...values: number[]) => ({ name, color: name, values });
  it('are one', () => {
    const parts = [
      part('a', 100, 90),
      part('b', 0.2, 0),
      part('c', 0.1, 3),
      part('d', 0.3, 0.1),
      part('e', 0, 0),
    ];
    expect(highestOf(parts)).toBeCloseTo(100.6);
    const merged = mergeSmall(parts, 0.5);
    expect(merged.map(one => one.name)).toEqual(['a', 'c', 'other, too little to see']);
    expect(merged[2]!.values).toEqual([0.5, 0.1]);
    expect(highestOf(merged)).toBeCloseTo(highestOf(parts));
  });
  it('stay as they are where there is one', () => {
    const parts = [part('a', 100), part('b', 0.2)];
    expect(mergeSmall(parts, 0.5)).toBe(parts);
  });
});

describe('keys on an icicle', () => {
  const row = (name: string, depth: number, value: number) => ({ name, depth, value, color: 'idle' });
  const rows = [row('a', 0, 6), row('aa', 1, 4), row('ab', 1, 2), row('b', 0, 4), row('ba', 1, 3)];
  const cells = icicle(buildTree(rows, 'all'), 0);
  const from = (name: string, key: string): string | undefined =>
    moveInIcicle(cells, cells.find(cell => cell.node.name === name)!, key)?.node.name;
  it('go up and down the tree, and along a row', () => {
    expect(['a', 'aa', 'ab', 'ba'].map(name => from(name, 'ArrowUp'))).toEqual(['all', 'a', 'a', 'b']);
    expect(['all', 'a', 'b', 'ba'].map(name => from(name, 'ArrowDown'))).toEqual(['a', 'aa', 'ba', 'ba']);
    expect(['aa', 'ab', 'ba'].map(name => from(name, 'ArrowRight'))).toEqual(['ab', 'ba', 'ba']);
    expect(['aa', 'ba'].map(name => from(name, 'ArrowLeft'))).toEqual(['aa', 'ab']);
    expect([from('ab', 'Home'), from('ab', 'End')]).toEqual(['aa', 'ba']);
  });
  it('leave others alone', () => {
    expect(from('a', 'Enter')).toBeUndefined();
  });
});

describe('keys on a histogram', () => {
  it('move one bar, and extend with Shift from where they began', () => {
    expect(moveBrush([3, 3], 'ArrowRight', false, 10)).toEqual([4, 4]);
    const wider = moveBrush([3, 3], 'ArrowLeft', true, 10)!;
    expect(wider).toEqual([3, 2]);
    expect(moveBrush(wider, 'ArrowRight', true, 10)).toEqual([3, 3]);
    expect(moveBrush(wider, 'End', true, 10)).toEqual([3, 9]);
    expect(moveBrush(wider, 'Home', false, 10)).toEqual([0, 0]);
  });
  it('stay inside, and leave other keys alone', () => {
    expect(moveBrush([0, 0], 'ArrowLeft', false, 10)).toEqual([0, 0]);
    expect(moveBrush([9, 9], 'ArrowRight', true, 10)).toEqual([9, 9]);
    expect(moveBrush([0, 0], 'w', false, 10)).toBeUndefined();
  });
  it('begin where the value is, which may be the least of all', () => {
    expect(placeAmong([5, 7, 9], 5)).toBe(0);
    expect(placeAmong([5, 7, 9], 8)).toBe(1.5);
    expect(placeAmong([5, 7, 9], 9)).toBe(2);
    expect(placeAmong([5, 7, 9], 10)).toBeUndefined();
  });
});
