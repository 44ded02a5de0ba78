// A loss in words, the same on every page.
import type { Loss } from '../api/document';
import { count } from './numbers';

export function lossText(loss: Loss): string {
  if (loss.kind === 'unfinished') {
    return `${count(loss.count)} ${loss.count === 1 ? 'launch' : 'launches'} of ${loss.place} ${loss.count === 1 ? 'has' : 'have'} ${loss.reason}`;
  }
  return `${loss.reason} (${loss.place}${loss.count > 1 ? `, ${count(loss.count)} times` : ''})`;
}
