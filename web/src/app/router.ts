// The whole state of the view lives in the URL's fragment: #/RUN/PAGE?key=value. So a link reopens the same
// place, the server needs no routes for pages, and the page works behind any path prefix.
import { createSignal, onCleanup } from 'solid-js';
import { here as places } from './places';

export type Params = { readonly [key: string]: string };

export interface Route {
  readonly run: string; // empty on the page of all runs
  readonly page: string;
  readonly params: Params;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [run = '', page = ''] = path
    .split('/')
    .filter(part => part !== '')
    .map(safeDecode);
  const params: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query)) params[key] = value;
  return { run, page: run ? page || 'overview' : 'runs', params };
}

export function formatRoute(route: Route): string {
  const path = route.run ? `#/${encodeURIComponent(route.run)}/${route.page}` : '#/';
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(route.params)) if (value !== '') query.set(key, value);
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return text ? `${path}?${text}` : path;
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const here = (): Route => parseRoute(typeof location === 'undefined' ? '' : location.hash);
const [route, setRoute] = createSignal<Route>(here());
// The browser tells of a new address a moment after it has it: until then it is not the one of `route`.
let address = typeof location === 'undefined' ? '' : location.hash;

export { route };

// What has to be in the address before another page takes its place. For as long as the caller's owner lives.
const leaving = new Set<() => void>();
export function onLeave(write: () => void): void {
  leaving.add(write);
  onCleanup(() => leaving.delete(write));
}
const leave = (): void => {
  for (const write of leaving) write();
};

export function startRouter(): void {
  addEventListener('hashchange', () => {
    address = location.hash;
    setRoute(here());
  });
  // The browser follows a link by itself, and tells only when the address is the new one.
  addEventListener('click', event => (event.target as Element).closest?.('a[href]') && leave(), true);
}

// Where a page begins that the address does not say.
export function visit(to: Route): void {
  setRoute(to);
}

export function go(to: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = formatRoute(to);
  if (hash === location.hash) return;
  if (to.page !== route().page || to.run !== route().run) leave();
  if (how === 'push') history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  address = location.hash;
  setRoute(to);
}

// Where a page of the current run is; empty where there is no such page. `run` only for another one.
export const href = (page: string, params: Params = {}, run = route().run): string =>
  places().has(page, params) ? formatRoute({ run, page, params }) : '';

// Goes where a link would lead.
export function follow(address: string | undefined): void {
  if (address) go(parseRoute(address));
}

export const param = (key: string): string => route().params[key] ?? '';

// Changes parameters of the current page. Empty removes one. History is kept only where going back makes sense.
// A page that is being left changes nothing: it would take the address back to itself.
export function setParams(changes: Params, how: 'push' | 'replace' = 'replace'): void {
  if (location.hash !== address) return;
  const params: Record<string, string> = { ...route().params };
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') delete params[key];
    else params[key] = value;
  }
  go({ ...route(), params }, how);
}
