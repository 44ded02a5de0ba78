// The answers that a report holds instead of a server (gait's html_report/answers.h).
import type { Query } from '../api/client';
import type { EventDetail } from '../timeline/api';
import { Names } from '../timeline/api';
import { type RecordedSlice, Recording, type TileQuery } from './recording';

export class Recorded {
  private readonly recordings = new Map<string, Recording>();
  readonly missing: string[] = []; // asked for and not there; a test looks at it

  constructor(private readonly answers: ReadonlyMap<string, Uint8Array<ArrayBuffer>>) {}

  static async unpack(text: string): Promise<Recorded> {
    const packed = Uint8Array.from(atob(text.trim()), character => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const buffer = await new Response(stream).arrayBuffer();
    const length = new DataView(buffer).getUint32(0, true);
    const index = JSON.parse(textOf(new Uint8Array(buffer, 4, length))) as [string, number][];
    const answers = new Map<string, Uint8Array<ArrayBuffer>>();
    let at = 4 + length;
    for (const [question, bytes] of index) {
      at = Math.ceil(at / 8) * 8;
      answers.set(question, new Uint8Array(buffer, at, bytes));
      at += bytes;
    }
    return new Recorded(answers);
  }

  has(question: string): boolean {
    return this.answers.has(question);
  }

  json<T>(question: string): T | undefined {
    const found = this.answers.get(question);
    return found && (JSON.parse(textOf(found)) as T);
  }

  // As the server would answer.
  readonly answer = async (path: string, query: Query): Promise<Response> => {
    const [, run, what] = /^runs\/([^/]+)\/(tile|event|load)$/.exec(path) ?? [];
    if (what === 'load') return new Response('{"state": "open", "fraction": 1}\n');
    if (run && what === 'tile') {
      const recording = this.recording(run);
      if (recording) return new Response(recording.tile(query as unknown as TileQuery));
    }
    if (run && what === 'event') {
      const event = this.event(run, Number(query.track), Number(query.event));
      if (event) return Response.json(event);
    }
    const question = questionOf(path, query);
    const found = this.answers.get(question);
    if (!found) {
      this.missing.push(question);
      const what = 'This is not a part of the report.';
      return Response.json({ error: { what, hint: '`gait view` shows all of the run.' } }, { status: 404 });
    }
    const failed = found.length < 4096 && textOf(found).startsWith('{"error"');
    return new Response(found, { status: failed ? 422 : 200 });
  };

  private recording(run: string): Recording | undefined {
    const known = this.recordings.get(run);
    if (known) return known;
    const bytes = this.answers.get(`runs/${run}/recording`);
    if (!bytes) return undefined;
    const made = new Recording(bytes.slice().buffer);
    this.recordings.set(run, made);
    return made;
  }

  private event(run: string, track: number, event: number): EventDetail | undefined {
    const names = new Names();
    names.add(this.json(`runs/${run}/names`)!);
    const all = [...(this.recording(run)?.slices() ?? [])];
    const found = all.find(slice => slice.track === track && slice.event === event);
    return found && describe(found, all, names);
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

// The version of a run and the part of a list do not matter here.
function questionOf(path: string, query: Query): string {
  const given = Object.entries(query).filter(
    ([key, value]) => value !== undefined && value !== '' && !['v', 'from', 'derived'].includes(key),
  );
  given.sort(([a], [b]) => (a < b ? -1 : 1));
  return given.length === 0 ? path : `${path}?${given.map(([key, value]) => `${key}=${value}`).join('&')}`;
}

function describe(slice: RecordedSlice, all: readonly RecordedSlice[], names: Names): EventDetail {
  const same = all.filter(
    other => names.name[other.name] === names.name[slice.name] && other.track === slice.track,
  );
  const durations = same.map(other => other.duration).sort((a, b) => a - b);
  const total = durations.reduce((sum, duration) => sum + duration, 0);
  const at = (part: number): number => durations[Math.floor(part * (durations.length - 1))]!;
  return {
    ...slice,
    name: names.name[slice.name] ?? '',
    name_id: slice.name,
    label: names.operation[slice.name] ?? '',
    self: null,
    category: names.category[slice.name] ?? null,
    class: names.class[slice.name] ?? null,
    args: names.scope[slice.name] ? [['scope', names.scope[slice.name]]] : [],
    parent: null,
    before: null,
    after: null,
    step: null,
    operation: null,
    unattributed: null,
    causes: [],
    causes_total: 0,
    effects: [],
    effects_total: 0,
    same: {
      count: same.length,
      total,
      mean: total / same.length,
      p50: at(0.5),
      p99: at(0.99),
      min: at(0),
      max: at(1),
      histogram: { edges: [], counts: [] },
      position: same.indexOf(slice),
      previous: null,
      next: null,
    },
  };
}
