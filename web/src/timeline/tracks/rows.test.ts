import { describe, expect, it } from 'vitest';
import { filterWords, keysBeside, layoutRows, moveAmong, rowAt, tileName } from '../tracks/rows';

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
  it('are filtered by words, or by what quotes keep together', () => {
    expect(filterWords('cpu  3')).toEqual(['cpu', '3']);
    expect(filterWords('"CPU 3" idle')).toEqual(['cpu 3', 'idle']);
    expect(filterWords('"CPU 3')).toEqual(['cpu 3']); // while it is typed
    expect(filterWords(' "" ')).toEqual([]);
  });
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
  it('have one order on all devices', () => {
    const device = (key: string, ...children: (readonly [string, string])[]) =>
      ({
        key,
        kind: 'device',
        title: key,
        children: children.map(([title, type]) =>
          track(`${key}/${title}`, { type, derived: type === 'steps' || type === 'idle' }),
        ),
      }) as const;
    const { rows } = layoutRows(
      [
        device(
          '0',
          ['s', 'steps'],
          ['ops', 'operations'],
          ['async', 'async operations'],
          ['me', 'other'],
          ['i', 'idle'],
        ),
        device(
          '1',
          ['s', 'steps'],
          ['ops', 'operations'],
          ['me', 'other'],
          ['async', 'async operations'],
          ['i', 'idle'],
        ),
      ],
      state,
    );
    const keys = (of: string) => rows.map(row => row.key).filter(key => key.startsWith(`${of}/`));
    expect(keys('1').map(key => key.replace('1/', '0/'))).toEqual(keys('0'));
    expect(keys('1')).toEqual(['1/s', '1/ops', '1/async', '1/me', '1/i']);
  });
  it('stay beside their neighbours when one is moved under a filter', () => {
    const keys = ['steps', 's14', 's15', 'scopes', 's16'];
    const device = [
      { key: 'gpu', kind: 'device', title: 'GPU 0', children: keys.map(key => track(key)) },
    ] as const;
    const beside = keysBeside(device, 's15', { ...state, filter: 's1' });
    expect(beside).toEqual(keys);
    const shown = ['s14', 's15', 's16'];
    const up = moveAmong(beside, shown, 's15', -1)!;
    expect(up).toEqual(['steps', 's15', 's14', 'scopes', 's16']);
    expect(moveAmong(beside, shown, 's15', 1)).toEqual(['steps', 's14', 'scopes', 's16', 's15']);
    expect(moveAmong(beside, shown, 's14', -1)).toBeUndefined();
    const order = new Map(up.map((key, i) => [key, i]));
    expect(layoutRows(device, { ...state, order }).rows.map(row => row.key)).toEqual(['gpu', ...up]);
  });
});
