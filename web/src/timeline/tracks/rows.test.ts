import { describe, expect, it } from 'vitest';
import { layoutRows, rowAt, tileName } from '../tracks/rows';

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
          children: [
            track('deep', { type: 'thread', lanes: 30 }),
            track('main', { type: 'thread', lanes: 9, events: 99 }),
          ],
        },
      ],
    },
  ] as const;
  const state = { folded: new Set<string>(), pinned: [], order: new Map(), filter: '' };
  it('lie below each other without gaps', () => {
    const { rows, height } = layoutRows(tree, state);
    expect(rows.map(row => row.key)).toEqual(['vm', 'gpu', 's14', 'p', 'main', 'deep']);
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
    expect(rows.find(row => row.key === 'main')!.lanes).toBe(9);
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
      'main',
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
    expect(moved.rows.map(row => row.key)).toEqual(['vm', 'p', 'main', 'deep', 'gpu', 's14']);
  });
});
