import { expect, it } from 'vitest';
import { lengthFilter } from './lengths';

it('turns the limits of a class of lengths into a condition', () => {
  expect(lengthFilter(0, 10e6, 'min', 'max')).toBe('min<10us');
  expect(lengthFilter(10e6, 100e6, 'min', 'max')).toBe('max>=10us min<100us');
  expect(lengthFilter(100e6, 1e9, 'duration')).toBe('duration>=100us duration<1ms');
  expect(lengthFilter(1e9, null, 'duration')).toBe('duration>=1ms');
});
