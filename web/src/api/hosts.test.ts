import { expect, test } from 'vitest';
import type { Document } from './document';
import { rowsOf } from './document';
import { deviceText, hostColumn, severalHosts } from './hosts';

const documentOf = (...hosts: string[]): Document =>
  ({
    tables: {
      causes: { columns: [{ name: 'cause', type: 'string', unit: '' }], rows: [['input'], ['launch']] },
      queue: {
        columns: ['host', 'device'].map(name => ({ name, type: 'string', unit: '' })),
        rows: hosts.map(host => [host, 'GPU 0']),
      },
    },
  }) as unknown as Document;
const text = (document: Document): string =>
  deviceText(document, rowsOf(document, 'queue'), rowsOf(document, 'queue').all[0]);

test('hosts are named where there are several', () => {
  const [one, two] = [documentOf('a', 'a'), documentOf('a', 'b')];
  expect([one, two].map(severalHosts)).toEqual([false, true]);
  expect([one, two].map(hostColumn)).toEqual([[], [{ name: 'host' }]]);
  expect([one, two].map(text)).toEqual(['GPU 0', 'a GPU 0']);
});
