import { describe, expect, it } from 'vitest';
import type { DocumentLink } from '../api/document';
import { piecesOf } from './commands';

const link = (
  text: string,
  verb: string | null,
  parameters: DocumentLink['parameters'] = {},
): DocumentLink => ({
  text,
  verb,
  parameters,
});

describe('what the command says, on a page', () => {
  it('leads to the page of a verb', () => {
    const text = 'copies and memsets are in gait transfers';
    expect(piecesOf(text, [link('gait transfers', 'transfers')], 'kernels')).toEqual([
      { text: 'copies and memsets are in ' },
      { text: 'Transfers', page: 'transfers' },
    ]);
    expect(piecesOf('gait steps lists the steps.', [link('gait steps', 'steps')], 'ops')[0]).toEqual({
      text: 'Overview',
      page: 'overview',
    });
  });
  it('points to the boxes of a page instead of options', () => {
    const text = 'peaks not known; give them with --peak-tflops and --peak-gbps';
    const links = [link('with --peak-tflops and --peak-gbps', 'roofline')];
    expect(piecesOf(text, links, 'ops').at(-1)).toEqual({ text: 'Roofline', page: 'roofline' });
    expect(piecesOf(text, links, 'roofline').map(piece => piece.text)).toEqual([
      'peaks not known; give them ',
      'below',
    ]);
  });
  it('says below for the page itself, without the path', () => {
    const links = [link('gait memory /a/b.prof', 'memory')];
    expect(piecesOf('1 profile beside the run: gait memory /a/b.prof', links, 'memory').at(-1)).toEqual({
      text: 'below',
    });
  });
  it('narrows the page instead of an option', () => {
    const links = [link('--program jit__psum', null, { program: 'jit__psum' })];
    expect(piecesOf('they take 3 ms on each device (--program jit__psum).', links, 'collectives')).toEqual([
      { text: 'they take 3 ms on each device (' },
      { text: 'program jit__psum', page: 'collectives', params: { program: 'jit__psum' } },
      { text: ').' },
    ]);
  });
  it('takes the longer of two that begin at the same place, and every occurrence', () => {
    const links = ['eval', 'eval loop'].map(series => link(`--series ${series}`, null, { series }));
    const text = '--series eval loop shows it; --series eval shows them';
    expect(piecesOf(text, links, 'ops').map(piece => piece.params?.series)).toEqual([
      'eval loop',
      undefined,
      'eval',
      undefined,
    ]);
  });
  it('leaves other commands alone', () => {
    expect(piecesOf('gait report RUN', [], 'ops')).toEqual([{ text: 'gait report RUN' }]);
  });
});
