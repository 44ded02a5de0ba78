// Why a device did nothing, and what a step waited for: one name and one colour each, on every page. Colours are CSS
// variables of styles/tokens.css.
import { type IdleCause, idleCauseNames } from '../api/tables';

export interface Cause {
  readonly id: IdleCause;
  readonly name: string;
  readonly color: string;
}

const of = (id: IdleCause, color: string): Cause => ({ id, name: idleCauseNames[id], color });

// In the order they are stacked: what the host can change first.
export const idleCauses: readonly Cause[] = [
  of('input', 'idle-input'),
  of('staging', 'idle-staging'),
  of('callback', 'idle-callback'),
  of('compile', 'compile'),
  of('host_sync', 'idle-sync'),
  of('dispatch', 'idle-dispatch'),
  of('allocator', 'idle-allocator'),
  of('launch', 'idle-launch'),
  of('graph_launch', 'idle-graph'),
  of('peer', 'communication'),
  of('dependency', 'idle-dependency'),
  of('kernel_gap', 'idle-gap'),
  of('unknown', 'idle'),
];

const byId = new Map<string, Cause>(idleCauses.map(cause => [cause.id, cause]));
const byName = new Map(idleCauses.map(cause => [cause.name, cause]));

export const causeName = (id: string): string => byId.get(id)?.name ?? id;
export const causeColor = (id: string): string => byId.get(id)?.color ?? 'idle';
export const colorOfName = (name: string): string | undefined => byName.get(name)?.color;
