// The parts a step is made of, in the order they are stacked.
import { type ColumnOf, type Document, type Row, type Rows, rowsOf } from '../../api/document';
import type { Tables } from '../../api/tables';
import { idleCauses } from '../../app/causes';
import type { Part } from '../../charts/stack';

const work: readonly (readonly [ColumnOf<'steps'>, string, string])[] = [
  ['compute', 'compute', 'compute'],
  ['exposed_communication', 'exposed communication', 'communication'],
  ['exposed_copies', 'exposed copies', 'copies'],
  ['unknown', 'kernels of no program', 'layout'],
];

export interface StepBars {
  readonly steps: readonly string[];
  readonly series: string;
  readonly parts: readonly Part[];
  readonly of: string; // whose steps: "mean of 8 devices"; empty for one device
  readonly uncounted: ReadonlyMap<number, string>; // bars of steps that no mean holds: the reason, if there is one
}

// One bar per step of the first series: the mean over all devices, as in the list of where a step goes. Idle time is
// split by cause where the idle document has the step, which is where it is counted.
export function stepBars(steps: Document, idle: Document | undefined): StepBars {
  const rows = rowsOf(steps, 'steps');
  const series = rows.text(rows.all[0], 'series');
  const byStep = new Map<string, Row[]>(); // a row per host
  for (const row of rows.all) {
    if (rows.text(row, 'series') !== series) continue;
    const key = rows.text(row, 'step');
    byStep.set(key, [...(byStep.get(key) ?? []), row]);
  }
  const devices = devicesOf(steps, series);
  const mean = (step: string, column: ColumnOf<'steps'>): number => {
    let sum = 0;
    let weight = 0;
    for (const row of byStep.get(step) ?? []) {
      const own = devices.get(`${step}\n${rows.text(row, 'host')}`) ?? 1;
      sum += own * (rows.number(row, column) ?? 0);
      weight += own;
    }
    return weight > 0 ? sum / weight : 0;
  };
  const names = [...byStep.keys()];
  const causes = causesOf(rowsOf(idle, 'idle_steps'));
  const flags = (step: string): string => rows.text(byStep.get(step)?.[0], 'flags');
  const all = rowsOf(steps, 'step_devices');
  const [hosts, places] = [
    new Set(all.all.map(row => all.text(row, 'host'))).size,
    new Set(all.all.map(row => `${all.text(row, 'host')}\n${all.text(row, 'device')}`)).size,
  ];
  return {
    steps: names,
    series,
    parts: [
      ...work.map(([column, name, color]) => ({
        name,
        color,
        values: names.map(step => mean(step, column)),
      })),
      ...idleCauses.map((cause, i) => ({
        name: cause.id === 'unknown' ? 'idle, not known' : cause.name,
        color: cause.color,
        values: names.map(step => causes.get(step)?.[i] ?? 0),
      })),
      {
        name: 'idle, of a step not counted',
        color: 'idle',
        values: names.map(step => (causes.has(step) ? 0 : mean(step, 'idle'))),
      },
    ],
    of: places > 1 ? `mean of ${places} devices${hosts > 1 ? ` on ${hosts} hosts` : ''}` : '',
    uncounted: new Map(
      names.flatMap((step, i) => (causes.size === 0 || causes.has(step) ? [] : [[i, flags(step)] as const])),
    ),
  };
}

// How many devices a host has in a step.
function devicesOf(steps: Document, series: string): ReadonlyMap<string, number> {
  const rows = rowsOf(steps, 'step_devices');
  const counts = new Map<string, number>();
  for (const row of rows.all) {
    if (rows.text(row, 'series') !== series) continue;
    const key = `${rows.text(row, 'step')}\n${rows.text(row, 'host')}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

// Idle time of each step by cause: the mean of the devices.
function causesOf(rows: Rows<Tables['idle_steps']>): ReadonlyMap<string, readonly number[]> {
  const sums = new Map<string, { by: number[]; devices: number }>();
  for (const row of rows.all) {
    const key = rows.text(row, 'step');
    const sum = sums.get(key) ?? { by: idleCauses.map(() => 0), devices: 0 };
    idleCauses.forEach(({ id }, i) => {
      sum.by[i]! += rows.number(row, id) ?? 0;
    });
    ++sum.devices;
    sums.set(key, sum);
  }
  return new Map([...sums].map(([step, sum]) => [step, sum.by.map(value => value / sum.devices)]));
}
