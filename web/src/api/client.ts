// Requests to the server that sent this page. Addresses are relative to the page, so that a path prefix works.
// A page without a server (a report) has the answers in it and says so with `answerWith`.
import { type Document, parseDocument } from './document';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    what: string,
    readonly hint: string,
  ) {
    super(what);
  }
}

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

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as {
    error?: { what?: string; hint?: string };
  } | null;
  const what = body?.error?.what ?? `The server answered ${response.status}.`;
  return new ApiError(response.status, what, body?.error?.hint ?? '');
}

export type Source = (path: string, query: Query, signal?: AbortSignal) => Promise<Response>;

let source: Source = (path, query, signal) => fetch(address(path, query), signal ? { signal } : {});

export function answerWith(other: Source): void {
  source = other;
}

// Why nothing about a path can be answered, where that is known beforehand.
let obstacleTo: (path: string) => Promise<ApiError | undefined> = () => Promise.resolve(undefined);

export function askBefore(other: typeof obstacleTo): void {
  obstacleTo = other;
}

export async function request(path: string, query: Query = {}, signal?: AbortSignal): Promise<Response> {
  const obstacle = await obstacleTo(path);
  if (obstacle) throw obstacle;
  let response: Response;
  try {
    response = await source(path, query, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'gait does not answer any more.', 'Start `gait view` again and reload this page.');
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, query, signal)).json()) as T;
}

export async function getDocument(path: string, query?: Query, signal?: AbortSignal): Promise<Document> {
  return parseDocument(await (await request(path, query, signal)).text());
}

export const runPath = (run: string, rest: string): string => `runs/${encodeURIComponent(run)}/${rest}`;
