import { describe, expect, it } from 'vitest';
import { faultOf, withWhatDiffers } from './search';

describe('words to search for', () => {
  it('have a fault only where they are a regular expression that is none', () => {
    for (const fine of ['', '(', 'fusion', '/fus(ion)?/', '/', '//', '"f("']) expect(faultOf(fine)).toBe('');
    expect(faultOf('/fus(/')).toMatch(/^not a regular expression: unterminated group$/);
  });
  it('find the names that a table of the host has without what differs', () => {
    const pattern = (name: string) => new RegExp(withWhatDiffers(name).slice(1, -1));
    expect('Wait: pending_threads=2/8').toMatch(pattern('Wait'));
    expect('ComputeSemaphoreAcquire [capacity=32, value=31]').toMatch(pattern('ComputeSemaphoreAcquire'));
    expect('ThunkExecutor::Execute (wait for completion)').not.toMatch(pattern('Wait'));
    expect('Wait for LaunchOnDevice completion').not.toMatch(pattern('Wait'));
    expect('a(b).c k=1').toMatch(pattern('a(b).c'));
  });
});
