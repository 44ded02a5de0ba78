// The part of the run that pages speak of: steps, device, host, program. It goes along from page to page.
import type { Query } from '../api/client';
import type { Document, Row, Rows } from '../api/document';
import { severalHosts } from '../api/hosts';
import { placeOn } from '../timeline/selection/place';
import { here } from './places';
import { href, type Params, param, route } from './router';

export const viewKeys = ['steps', 'device', 'host', 'program', 'series'] as const;

export function viewQuery(): Query {
  return Object.fromEntries(viewKeys.map(key => [key, param(key)]).filter(([, value]) => value !== ''));
}

// Another page of this run about the same part of it.
export function pageHref(page: string, params: Params = {}): string {
  const view = Object.fromEntries(viewKeys.map(key => [key, param(key)]));
  return href(page, { ...view, ...params });
}

interface OfDevice {
  readonly device: string;
  readonly host: string;
}

// The overview of the device of a row; hosts have devices of the same names.
export const deviceHref = (document: Document, rows: Rows<OfDevice>, row: Row): string =>
  pageHref('overview', {
    device: rows.text(row, 'device'),
    ...(severalHosts(document) && { host: rows.text(row, 'host') }),
  });

// `program` by its id or name; empty: it is of none that the capture has. A link without it is about the first that
// has such an instruction.
export const operationHref = (program: string | number, name: string): string =>
  pageHref('op', { of: String(program) || noProgram, name });
export const noProgram = 'none';

// What finds an operation's slices on the timeline; of a program that the capture does not have, by what they say.
export const operationQuery = (programId: string, name: string): string =>
  programId === '' ? `/^${name.replace(/[^\w ]/g, '\\$&')}$/` : `"${programId}/${name}"`;

// The first slice on the timeline with that name, on a device or a host of the part that the page is about, or of the
// host that is named; all others are one key away. Empty where there is none: what is not known, and times in which nothing ran, as "(between kernels)".
export const sliceHref = (name: string, on: 'device' | 'host', host = ''): string =>
  name === '' || /^\(.*\)$/.test(name) ? '' : firstOf(`"${name}"`, host ? `${on}/${host}` : on);

// `part`: another device or host than those of the page.
export const operationSliceHref = (programId: string, name: string, part: Params = {}): string =>
  firstOf(operationQuery(programId, name), 'device', part);

// The slice of that name that begins then; with a length, in a window around that.
export function sliceFromHref(name: string, begin: number, length = 0): string {
  const found = { q: `"${name}"`, sel: `@${Math.round(begin)}` };
  return length > 0 ? timelineHref(begin, length, found) : pageHref('timeline', found);
}

const firstOf = (q: string, on: string, part: Params = {}): string =>
  pageHref('timeline', { ...part, q, sel: `@${on}` });

// A step or an idle time of a device, selected; the row of a table says of which one. `name`: what it is called there.
export function deviceSliceHref(
  track: 'steps' | 'idle',
  rows: Rows<OfDevice>,
  row: Row,
  begin: number | null,
  length: number | null,
  name = '',
): string {
  if (begin === null || length === null) return '';
  const sel = placeOn(rows.text(row, 'host'), rows.text(row, 'device'), track, begin, length, name);
  return timelineHref(begin, length, { sel });
}

// [begin, end) on the timeline, summed up.
export const areaHref = (begin: number, end: number): string =>
  timelineHref(begin, end - begin, end > begin ? { area: `${Math.round(begin)}-${Math.round(end)}` } : {});

// A window of the timeline around [begin, begin + duration), with some room on both sides; empty where the
// timeline does not reach.
export function timelineHref(begin: number, duration: number, more: Params = {}): string {
  const room = Math.max(duration * 0.15, 1e5);
  const from = Math.round(begin - room);
  if (!here().shows(route().run, begin, begin + duration)) return '';
  return pageHref('timeline', {
    from: String(from),
    to: String(Math.round(begin + duration + room)),
    ...more,
  });
}
