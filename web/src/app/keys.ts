// Keys are for the page only while nobody types.
import { createSignal } from 'solid-js';

export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target) return false;
  if (target.isContentEditable || target.tagName === 'SELECT' || target.tagName === 'TEXTAREA') return true;
  if (target.tagName !== 'INPUT') return document.querySelector('dialog[open]') !== null;
  return !['checkbox', 'radio', 'button'].includes((target as HTMLInputElement).type);
}

export const searchBoxId = 'search';

export function focusSearch(): void {
  const box = document.getElementById(searchBoxId) as HTMLInputElement | null;
  box?.focus();
  box?.select();
}

// That the timeline goes to another match, as soon as it is there.
export const [wishedStep, wishStep] = createSignal<'next' | 'previous' | undefined>();
