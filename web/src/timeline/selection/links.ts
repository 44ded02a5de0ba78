// What the selected slice leads to.
import type { EventDetail, EventRef } from '../api';

export interface Effects {
  readonly same: readonly EventRef[]; // a collective: the same one on the other devices
  readonly others: readonly EventRef[];
}

// A launch may have the name of its kernel: what runs on threads and what runs on devices is never the same.
export function effectsOf(detail: EventDetail, isThread: (track: number) => boolean): Effects {
  const isSame = (other: EventRef): boolean =>
    other.name === detail.name &&
    other.track !== detail.track &&
    isThread(other.track) === isThread(detail.track);
  return {
    same: detail.effects.filter(isSame),
    others: detail.effects.filter(other => !isSame(other)),
  };
}

// The next slice of the same name. Steps have their numbers in their names: the next one of those is its neighbour.
export const nextOfName = (
  detail: EventDetail,
  way: 'next' | 'previous',
  isStep: boolean,
): EventRef | null => (isStep ? (way === 'next' ? detail.after : detail.before) : detail.same[way]);
