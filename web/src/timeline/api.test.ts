import { describe, expect, it } from 'vitest';
import { type TrackNode, threadTrack, tracksOf } from './api';

let next = 0;
const track = (key: string, type: string, title = type): TrackNode => ({
  key,
  kind: 'track',
  title,
  type,
  track: next++,
});
const device = (host: string, title: string): TrackNode => ({
  key: `${host}/${title}`,
  kind: 'device',
  title,
  children: [track(`${host}/${title}/s`, 'stream')],
});
const host = (title: string): TrackNode => ({
  key: title,
  kind: 'host',
  title,
  children: [
    device(title, 'GPU 0'),
    device(title, 'GPU 10'),
    {
      key: `${title}/host threads`,
      kind: 'process',
      title: 'host threads',
      children: ['', '#2'].map(more => track(`${title}/host threads/python${more}`, 'thread', 'python')),
    },
  ],
});
const nodes = [host('a'), host('b')];

describe('tracks of the part that a page is about', () => {
  it('are all without a wish', () => {
    expect(tracksOf(nodes, 'device')).toEqual([0, 1, 4, 5]);
    expect(tracksOf(nodes, 'host')).toEqual([2, 3, 6, 7]);
  });
  it('are those of a device by its name, its number or a pattern', () => {
    expect(tracksOf(nodes, 'device', { device: 'GPU 10' })).toEqual([1, 5]);
    expect(tracksOf(nodes, 'device', { device: '0', host: 'b' })).toEqual([4]);
    expect(tracksOf(nodes, 'device', { device: '1' })).toEqual([]);
    expect(tracksOf(nodes, 'device', { device: 'GPU .0' })).toEqual([1, 5]);
    expect(tracksOf(nodes, 'device', { device: '(' })).toEqual([]);
  });
  it('are the threads of the host, whatever the device', () => {
    expect(tracksOf(nodes, 'host', { device: 'GPU 10', host: 'b' })).toEqual([6, 7]);
  });
  it('are told apart where threads have one name', () => {
    expect([1, 2, 3].map(ordinal => threadTrack(nodes, 'b', 'python', ordinal)?.track)).toEqual([
      6,
      7,
      undefined,
    ]);
  });
});
