import { describe, expect, it } from 'vitest';
import { piecesOf } from './commands';

describe('what the command says, on a page', () => {
  it('leads to the page of a verb', () => {
    expect(piecesOf('copies and memsets are in gait transfers', 'kernels')).toEqual([
      { text: 'copies and memsets are in ' },
      { text: 'Transfers', page: 'transfers' },
    ]);
    expect(piecesOf('gait steps lists the steps.', 'ops')[0]).toEqual({ text: 'Overview', page: 'overview' });
  });
  it('points to the boxes of a page instead of options', () => {
    const text = 'peaks not known; give them with --peak-tflops and --peak-gbps';
    expect(piecesOf(text, 'ops').at(-1)).toEqual({ text: 'Roofline', page: 'roofline' });
    expect(piecesOf(text, 'roofline').map(piece => piece.text)).toEqual([
      'peaks not known; give them ',
      'below',
    ]);
  });
  it('says below for the page itself, without the path', () => {
    expect(piecesOf('1 profile beside the run: gait memory /a/b.prof', 'memory').at(-1)).toEqual({
      text: 'below',
    });
  });
  it('narrows the page instead of an option', () => {
    expect(piecesOf('they take 3 ms on each device (--program jit__psum).', 'collectives')).toEqual([
      { text: 'they take 3 ms on each device (' },
      { text: 'program jit__psum', page: 'collectives', params: { program: 'jit__psum' } },
      { text: ').' },
    ]);
    expect(piecesOf('without the work of 3 steps: --series eval loop shows it', 'ops')[1]).toEqual({
      text: 'series eval loop',
      page: 'ops',
      params: { series: 'eval loop' },
    });
  });
  it('leaves other commands alone', () => {
    expect(piecesOf('gait report RUN', 'ops')).toEqual([{ text: 'gait report RUN' }]);
  });
});
