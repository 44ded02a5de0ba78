// Requests to the server that sent this page. Addresses are relative to the page, so that a path prefix works.
// A page without a server (a report) has the answers in it and says so with `answerWith`.
import { untilAnswered } from './again';
import { type Document, parseDocument } from './document';
import { ApiError } from './error';

export { ApiError };

const base = new URL('api/', typeof document === 'undefined' ? 'http://localhost/' : document.baseURI);

// A list is a key that comes several times.
export type Query = { readonly [key: string]: string | number | readonly string[] | undefined };

export function address(path: string, query: Query = {}): string {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== '') url.searchParams.append(key, String(one));
  return url.href;
}

const longestRest = 30;

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as {
    error?: { what?: string; hint?: string; see?: string };
  } | null;
  const what = body?.error?.what ?? `The server answered ${response.status}.`;
  if (response.status !== 503) {
    const { hint, see } = body?.error ?? {};
    return new ApiError(response.status, what, hint ?? '', undefined, see);
  }
  const seconds = Number(response.headers.get('Retry-After')) || 2;
  return new ApiError(503, what, 'This page asks again by itself.', Math.min(seconds, longestRest));
}

export type Source = (path: string, query: Query, signal?: AbortSignal) => Promise<Response>;

let source: Source = (path, query, signal) => fetch(address(path, query), signal ? { signal } : {});

let isServer = true;

export function answerWith(other: Source): void {
  source = other;
  isServer = false;
}

// Why nothing about a path can be answered, where that is known beforehand.
let obstacleTo: (path: string) => Promise<ApiError | undefined> = () => Promise.resolve(undefined);

export function askBefore(other: typeof obstacleTo): void {
  obstacleTo = other;
}

type Read<T> = (response: Response) => Promise<T>;

// Asks once, and says why there is no answer.
export async function requestOnce<T>(
  path: string,
  query: Query,
  read: Read<T>,
  signal?: AbortSignal,
): Promise<T> {
  const obstacle = await obstacleTo(path);
  if (obstacle) throw obstacle;
  try {
    const response = await source(path, query, signal);
    if (!response.ok) throw await errorOf(response);
    return await read(response);
  } catch (error) {
    if (signal?.aborted || error instanceof ApiError) throw error;
    throw new ApiError(
      0,
      'gait does not answer.',
      'Start `gait view` again and open the address that it prints.',
    );
  }
}

// Asks until the server is there and has time. `read` takes what was sent and makes nothing of it: what fails in it is
// asked for again.
export function request<T>(path: string, query: Query, read: Read<T>, signal?: AbortSignal): Promise<T> {
  const ask = (): Promise<T> => requestOnce(path, query, read, signal);
  return isServer ? untilAnswered(ask, signal) : ask();
}

export const asText = (response: Response): Promise<string> => response.text();

export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return JSON.parse(await request(path, query, asText, signal)) as T;
}

export async function getDocument(path: string, query: Query = {}, signal?: AbortSignal): Promise<Document> {
  return parseDocument(await request(path, query, asText, signal));
}

export const runPath = (run: string, rest: string): string => `runs/${encodeURIComponent(run)}/${rest}`;
