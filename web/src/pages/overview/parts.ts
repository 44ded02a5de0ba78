// The parts a step is made of, in the order they are stacked.
import { type Document, Rows, rowsOf } from '../../api/document';
import type { Part } from '../../charts/stack';

const work: readonly (readonly [string, string, string])[] = [
  ['compute', 'compute', 'compute'],
  ['exposed_communication', 'exposed communication', 'communication'],
  ['exposed_copies', 'exposed copies', 'copies'],
  ['unknown', 'kernels of no program', 'layout'],
];

// Causes of idle time in the words of `gait idle`.
export const idleCauses: readonly (readonly [string, string, string])[] = [
  ['input', 'host busy with input', 'idle-host'],
  ['compile', 'host compiling', 'compile'],
  ['host_sync', 'host waits for a result', 'idle-host'],
  ['dispatch', 'Python and dispatch code', 'idle-launch'],
  ['allocator', 'host allocating memory', 'idle-launch'],
  ['launch', 'launch overhead', 'idle-launch'],
  ['graph_launch', 'graph launch overhead', 'idle-launch'],
  ['peer', 'waited for another device', 'communication'],
  ['dependency', 'held by a dependency', 'idle-device'],
  ['kernel_gap', 'between kernels', 'idle-device'],
  ['unknown', 'idle, not known', 'idle'],
];

const causeColors = new Map(idleCauses.map(([cause, , color]) => [cause, color]));
export const causeColor = (cause: string): string => causeColors.get(cause) ?? 'idle';

export interface StepBars {
  readonly steps: Rows;
  readonly parts: readonly Part[];
}

// One bar per step of the first series. Idle time is split by cause where the idle document has the step.
export function stepBars(steps: Document, idle: Document | undefined): StepBars {
  const all = rowsOf(steps, 'steps');
  const series = all.text(all.all[0], 'series');
  const host = all.text(all.all[0], 'host');
  const rows = new Rows({
    columns: all.table.columns,
    rows: all.all.filter(row => all.text(row, 'series') === series && all.text(row, 'host') === host),
  });
  const parts: Part[] = work.map(([column, name, color]) => ({ name, color, values: rows.numbers(column) }));
  const causes = rowsOf(idle, 'idle_steps');
  const known = new Map<string, number[]>();
  for (const row of causes.all) {
    if (causes.text(row, 'host') !== host) continue;
    const key = causes.text(row, 'step');
    const sums = known.get(key) ?? idleCauses.map(() => 0);
    idleCauses.forEach(([cause], i) => {
      sums[i]! += causes.number(row, cause) ?? 0;
    });
    known.set(key, sums);
  }
  const devices = new Set(
    causes.all.filter(row => causes.text(row, 'host') === host).map(row => causes.text(row, 'device')),
  );
  idleCauses.forEach(([, name, color], i) => {
    const values = rows.all.map(
      row => (known.get(rows.text(row, 'step'))?.[i] ?? 0) / Math.max(1, devices.size),
    );
    parts.push({ name, color, values });
  });
  const unsplit = rows.all.map(row =>
    known.has(rows.text(row, 'step')) ? 0 : (rows.number(row, 'idle') ?? 0),
  );
  parts.push({ name: 'idle', color: 'idle', values: unsplit });
  return { steps: rows, parts };
}
