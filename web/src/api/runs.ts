// The runs below the log directory, and how far the reading of one is.
import { serverAnswers } from './again';
import { asText, getJson, request, requestOnce, runPath } from './client';

export interface Problem {
  readonly what: string;
  readonly hint: string;
}

export interface Run {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly label: string;
  readonly path: string;
  readonly time_s: number | null;
  readonly time_from: string;
  readonly hosts: readonly string[];
  readonly devices: string | null;
  readonly bytes: number;
  readonly beside: { readonly [kind: string]: number };
  readonly state: string;
}

export interface RunList {
  readonly directory: string;
  readonly version: string;
  readonly runs: readonly Run[];
  readonly notes: readonly string[];
  readonly empty: Problem | null;
}

export interface Summary {
  readonly id: string;
  readonly answer: string;
  readonly context: string;
  readonly steps: number | null;
  readonly step_name: string | null;
  readonly inferred: boolean | null;
  readonly step_median_ps: number | null;
  readonly step_ps: readonly number[];
  readonly device_busy_percent: number | null;
  readonly devices: number | null;
  readonly device_model: string | null;
  readonly losses: number | null;
  readonly findings: number | null;
  readonly headline: string | null;
}

// Once: it is asked for again and again anyway, which tells those that wait when the server is back.
export async function getRuns(): Promise<RunList> {
  const list = JSON.parse(await requestOnce('runs', {}, asText)) as RunList;
  serverAnswers();
  return list;
}

export const getSummary = (
  run: { readonly id: string; readonly version: string },
  signal?: AbortSignal,
): Promise<Summary> => getJson<Summary>(runPath(run.id, 'summary'), { v: run.version }, signal);

export interface Progress {
  readonly state: 'closed' | 'loading' | 'open' | 'failed';
  readonly fraction?: number;
  readonly error?: Problem;
}

// Calls `on` for each line until the run is read or cannot be.
export async function followLoading(
  run: string,
  on: (now: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await request(runPath(run, 'load'), {}, async stream => stream, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') on(JSON.parse(line) as Progress);
  }
}
