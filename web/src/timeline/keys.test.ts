import { describe, expect, it } from 'vitest';
import { commandOf, timelineKeys } from './keys';

describe('keys', () => {
  it('are known to the handler as the help shows them', () => {
    expect(commandOf('w')).toBe('zoomIn');
    expect(commandOf('W')).toBe('zoomIn');
    expect(commandOf('Escape')).toBe('clear');
    expect(commandOf('N')).toBe('previousMatch');
    expect(commandOf('Shift+ArrowLeft')).toBe('sliceBefore');
    expect(commandOf('q')).toBeUndefined();
    expect(timelineKeys.every(entry => entry.shown !== '' && entry.does !== '')).toBe(true);
  });
});
