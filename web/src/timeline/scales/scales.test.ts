import { describe, expect, it } from 'vitest';
import { ruler } from '../scales/ruler';
import { clampView, focusView, panView, toTime, toX, wholeSpan, zoomView } from '../scales/view';

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
