import { describe, expect, it } from 'vitest';
import { parsePlace, placeOn } from './place';

describe('places of slices', () => {
  it('are read as they are written, whatever the host is called', () => {
    expect(parsePlace(placeOn('a@b-1/c', 'GPU 0', 'idle', 12.4, 7))).toEqual({
      key: 'a@b-1/c/GPU 0//idle',
      begin: 12,
      end: 19,
    });
    expect(parsePlace(placeOn('vm', 'GPU 0', 'idle', 12, 7, 'host preparing copies'))).toEqual({
      key: 'vm/GPU 0//idle',
      begin: 12,
      end: 19,
      name: 'host preparing copies',
    });
  });
  it('are neither numbers nor the first match of a search', () => {
    for (const other of ['', '3.15', '@', '@12345']) expect(parsePlace(other)).toBeUndefined();
  });
});
