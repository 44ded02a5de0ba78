import { expect, test } from 'vitest';
import { lossText } from './losses';

test('launches without an end are said as the command says them', () => {
  const loss = { kind: 'unfinished', place: 'jit_step', reason: 'no end', count: 2 };
  expect(lossText(loss)).toBe('2 launches of jit_step have no end');
  expect(lossText({ ...loss, count: 1 })).toBe('1 launch of jit_step has no end');
});

test('other losses have their reason and place', () => {
  const loss = { kind: 'dropped', place: 'line 3', reason: 'no name', count: 1 };
  expect(lossText(loss)).toBe('no name (line 3)');
  expect(lossText({ ...loss, count: 4 })).toBe('no name (line 3, 4 times)');
});
