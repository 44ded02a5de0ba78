// Why a device did nothing, and what a step waited for: one name and one colour each, on every page. Names are those of
// `gait idle`, colours are CSS variables of styles/tokens.css.
import type { ColumnOf } from '../api/document';

export interface Cause {
  readonly id: ColumnOf<'idle_steps'>;
  readonly name: string;
  readonly color: string;
}

// In the order they are stacked: what the host can change first.
export const idleCauses: readonly Cause[] = [
  { id: 'input', name: 'host busy with input', color: 'idle-input' },
  { id: 'staging', name: 'host preparing copies', color: 'idle-staging' },
  { id: 'callback', name: 'callback into Python', color: 'idle-callback' },
  { id: 'compile', name: 'host compiling', color: 'compile' },
  { id: 'host_sync', name: 'host waits for a result', color: 'idle-sync' },
  { id: 'dispatch', name: 'Python and dispatch code', color: 'idle-dispatch' },
  { id: 'allocator', name: 'host allocating memory', color: 'idle-allocator' },
  { id: 'launch', name: 'launch overhead', color: 'idle-launch' },
  { id: 'graph_launch', name: 'graph launch overhead', color: 'idle-graph' },
  { id: 'peer', name: 'waited for another device', color: 'communication' },
  { id: 'dependency', name: 'held by a dependency', color: 'idle-dependency' },
  { id: 'kernel_gap', name: 'between kernels', color: 'idle-gap' },
  { id: 'unknown', name: 'not known', color: 'idle' },
];

const byId = new Map<string, Cause>(idleCauses.map(cause => [cause.id, cause]));
const byName = new Map(idleCauses.map(cause => [cause.name, cause]));

export const causeName = (id: string): string => byId.get(id)?.name ?? id;
export const causeColor = (id: string): string => byId.get(id)?.color ?? 'idle';
export const colorOfName = (name: string): string | undefined => byName.get(name)?.color;
