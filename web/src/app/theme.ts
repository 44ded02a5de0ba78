// Light or dark: the system's unless the person chose. Canvases need colours as numbers, so they ask here.
import { createSignal } from 'solid-js';

type Choice = 'system' | 'light' | 'dark';
const store = 'gait.theme';

function remembered(): Choice {
  try {
    const value = localStorage.getItem(store);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system'; // storage is off
  }
}

const [choice, setChoice] = createSignal<Choice>('system');
const [changes, setChanges] = createSignal(0);

export { choice };

export function startTheme(): void {
  apply(remembered());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setChanges(n => n + 1));
}

// Paper is white: what is painted with the theme's colours is painted anew before it is printed.
export function printInLight(): void {
  addEventListener('beforeprint', () => show('light'));
  addEventListener('afterprint', () => show(choice()));
}

function apply(next: Choice): void {
  setChoice(next);
  show(next);
}

function show(next: Choice): void {
  if (next === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', next);
  setChanges(n => n + 1);
}

export function nextTheme(): void {
  const next: Choice = choice() === 'system' ? 'light' : choice() === 'light' ? 'dark' : 'system';
  apply(next);
  try {
    localStorage.setItem(store, next);
  } catch {
    // storage is off: the choice lasts until the page is closed
  }
}

let probe: HTMLElement | undefined;
let known = new Map<string, string>();
let knownAt = -1;

// The colour of a CSS variable as "rgb(r, g, b)" in the theme of now. Depends on the theme: use it in an effect.
export function color(variable: string): string {
  if (knownAt !== changes()) known = new Map();
  knownAt = changes();
  const cached = known.get(variable);
  if (cached) return cached;
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${variable})`;
  const value = getComputedStyle(probe).color;
  known.set(variable, value);
  return value;
}
