import { expect, test } from 'vitest';
import type { Document } from '../../api/document';
import { gapsListed } from './listed';

const column = (name: string, unit: 'ps' | '' = 'ps') => ({ name, type: 'integer', unit }) as const;
const us = 1e6;
const document: Document = {
  schema: 1,
  verb: 'idle',
  source: '',
  answer: '',
  warnings: [],
  losses: [],
  notes: [],
  tables: {
    idle: {
      columns: [column('cause', ''), column('idle')],
      rows: [
        ['input', 70 * us],
        ['launch', 9 * us],
      ],
    },
    idle_gaps: {
      columns: [column('duration'), column('by_input'), column('by_launch')],
      rows: [
        [72 * us, 70 * us, 2 * us],
        [2 * us, 0, 2 * us],
      ],
    },
    gap_lengths: {
      columns: [column('length', ''), column('gaps', ''), column('from'), column('below')],
      rows: [
        ['less than 10 µs', 1348, 0, 10 * us],
        ['10 to 100 µs', 1, 10 * us, 100 * us],
      ],
    },
  },
};

test('a table of gaps says of how many it has the longest', () => {
  expect(gapsListed(document, '', '')).toMatchObject({
    of: 1349,
    about: expect.stringMatching(/^2 of 1\u202f349: gaps/),
  });
  expect(gapsListed(document, '', 'duration<10us')).toMatchObject({ of: 1348 });
  expect(gapsListed(document, '', 'duration>=10us duration<100us')).toEqual({}); // all of them
  expect(gapsListed(document, '', 'MemcpyH2D')).toEqual({}); // nobody knows
});

test('of a cause it says how much of its time the gaps hold', () => {
  expect(gapsListed(document, 'launch', '').about).toMatch(/^4.00 µs of 9.00 µs in all, in gaps/);
  expect(gapsListed(document, 'input', '')).toEqual({});
});
