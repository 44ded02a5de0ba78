// The list of runs as a table: what its rows are sorted by, and what is copied and downloaded.
import type { Cell, Table } from '../../api/document';
import type { Run, Summary } from '../../api/runs';

export type Figures = ReadonlyMap<string, Summary | string>; // by id; a text says why there are none

const columns: Table['columns'] = [
  { name: 'run', type: 'string', unit: '' },
  { name: 'when', type: 'integer', unit: 'unix_ns' },
  { name: 'host', type: 'string', unit: '' },
  { name: 'devices', type: 'string', unit: '' },
  { name: 'steps', type: 'integer', unit: '' },
  { name: 'median_step', type: 'integer', unit: 'ps' },
  { name: 'busy', type: 'number', unit: 'percent' },
  { name: 'size', type: 'integer', unit: 'bytes' },
  { name: 'in_short', type: 'string', unit: '' },
];

// A row per run, in the order of the list. Figures that are not there yet, or never, are unknown.
export function runTable(runs: readonly Run[], figures: Figures): Table {
  return { columns, rows: runs.map(run => rowOf(run, figures.get(run.id))) };
}

function rowOf(run: Run, known: Summary | string | undefined): Cell[] {
  const summary = typeof known === 'object' ? known : undefined;
  return [
    run.label,
    run.time_s === null ? null : run.time_s * 1e9,
    run.hosts.join(', '),
    devicesOf(run, summary),
    summary?.steps ?? null,
    summary?.step_median_ps ?? null,
    summary?.device_busy_percent ?? null,
    run.bytes,
    typeof known === 'string' ? known : (summary?.headline ?? summary?.answer ?? null),
  ];
}

// A compressed file does not say before it is read.
export function devicesOf(run: Run, summary: Summary | undefined): string | null {
  if (summary?.device_model) return `${summary.devices} × ${summary.device_model}`;
  return run.devices === 'compressed' ? null : run.devices;
}
