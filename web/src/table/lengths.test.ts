import { expect, test } from 'vitest';
import { lengthFilter } from './lengths';

test('lengths in words become conditions', () => {
  expect(lengthFilter('below 10 µs', 'min', 'max')).toBe('min<10us');
  expect(lengthFilter('10 to 100 µs', 'min', 'max')).toBe('max>=10us min<100us');
  expect(lengthFilter('100 µs to 1 ms', 'duration')).toBe('duration>=100us duration<1ms');
  expect(lengthFilter('1 ms or more', 'duration')).toBe('duration>=1ms');
});
