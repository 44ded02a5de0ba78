import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from './router';

describe('routes', () => {
  it('survive the round trip, whatever is in a name', () => {
    const route = { run: 'a/b c?#&', page: 'ops', params: { filter: 'jit(f)/x=1&2', sort: '-share' } };
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });
  it('open the runs without a run and the overview without a page', () => {
    expect(parseRoute('')).toEqual({ run: '', page: 'runs', params: {} });
    expect(parseRoute('#/r1')).toEqual({ run: 'r1', page: 'overview', params: {} });
  });
  it('leave out what is empty', () => {
    expect(formatRoute({ run: 'r', page: 'ops', params: { sort: '' } })).toBe('#/r/ops');
  });
  it('do not throw on a broken escape', () => {
    expect(parseRoute('#/%E0%A4%A/ops').page).toBe('ops');
  });
});
