import { expect, test } from 'vitest';
import type { Cell, Document } from './document';
import { rowsOf } from './document';
import { deviceText, hostColumn, ofHost, rowsOfHost, severalHosts } from './hosts';

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

test('the rows of one host are those of the first where it has none', () => {
  const document = documentOf('a', 'b', 'b');
  const hosts = (host: string): Cell[] => rowsOfHost(document, 'queue', host).all.map(row => row[0]!);
  expect(['b', 'c'].map(hosts)).toEqual([['b', 'b'], ['a']]);
  expect(ofHost(document, rowsOfHost(document, 'queue', 'b'))).toBe(' of b');
});
