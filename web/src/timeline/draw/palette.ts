// Colours of slices as pixels. The hue says what a thing is; the lightness varies with its name, so that
// neighbours can be told apart. Colours are mixed with the ground until text on them reads well.
import { colorOfName } from '../../app/causes';
import { hash, hue } from '../../app/colors';
import type { Names } from '../api';

export type ColorBy = 'category' | 'name' | 'scope' | 'duration';
export const colorModes: readonly ColorBy[] = ['category', 'name', 'scope', 'duration'];

export type Rgb = readonly [number, number, number];

export function parseRgb(text: string): Rgb {
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [];
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
}

export const mix = (a: Rgb, b: Rgb, part: number): Rgb => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
];

// As the bytes of an ImageData lie in memory on a little-endian machine.
export const pixel = (c: Rgb): number =>
  ((255 << 24) | (Math.round(c[2]) << 16) | (Math.round(c[1]) << 8) | Math.round(c[0])) >>> 0;

export interface Theme {
  readonly ground: Rgb;
  readonly of: (variable: string) => Rgb;
}

const classHues: { readonly [name: string]: string } = {
  communication: 'communication',
  copy: 'copies',
  host: 'host',
  compile: 'compile',
  idle: 'idle',
  step: 'idle',
  program: 'compute',
  'control flow': 'idle',
  unknown: 'layout',
};
const manyHues = [
  'compute',
  'elementwise',
  'copies',
  'host',
  'layout',
  'communication',
  'reduction',
  'softmax',
  'compile',
];
const softness = 0.42;
const quiet: ReadonlySet<string> = new Set(['scope', 'program', 'step']); // frames around the work itself

// layer_3 and layer_4 are the same thing.
const withoutNumbers = (text: string): string => text.replace(/[._]?\d+/g, '');

export function hueOf(names: Names, id: number, by: ColorBy): string {
  const kind = names.class[id] ?? '';
  const name = names.name[id] ?? '';
  if (kind === 'idle') return colorOfName(name) ?? 'idle';
  if (by === 'name') return manyHues[hash(name) % manyHues.length]!;
  if (kind === 'scope' || kind === 'program') return manyHues[hash(withoutNumbers(name)) % manyHues.length]!;
  if (by === 'scope') {
    const scope = names.scope[id];
    return scope === undefined ? 'idle' : manyHues[hash(withoutNumbers(scope)) % manyHues.length]!;
  }
  // XLA:CPU runs operations on threads of the host: they are operations all the same.
  if (names.operation[id]) return hue(names.category[id]);
  return classHues[kind] ?? hue(names.category[id] ?? (kind || undefined));
}

// The pixel colour of each name. Names outside `lit` fade.
export function namePalette(names: Names, theme: Theme, by: ColorBy, lit?: ReadonlySet<number>): Uint32Array {
  const hues = new Map<string, Rgb>();
  const colors = new Uint32Array(names.name.length);
  for (let id = 0; id < colors.length; ++id) {
    const name = hueOf(names, id, by);
    let base = hues.get(name);
    if (!base) {
      base = theme.of(name);
      hues.set(name, base);
    }
    const spread = ((hash(names.name[id] ?? '') >>> 8) % 7) / 7 - 0.43;
    const soft = quiet.has(names.class[id] ?? '') ? 0.6 : softness;
    let color = mix(base, theme.ground, soft + 0.24 * spread);
    if (lit && !lit.has(id)) color = mix(color, theme.ground, 0.6);
    colors[id] = pixel(color);
  }
  return colors;
}

// Durations from short to long on a logarithmic scale, 1 ns to 1 s.
export function durationPalette(theme: Theme): Uint32Array {
  const stops = ['elementwise', 'compute', 'compile', 'reduction', 'communication'].map(theme.of);
  return Uint32Array.from({ length: 64 }, (_, i) => {
    const at = (i / 63) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    return pixel(mix(mix(stops[k]!, stops[k + 1]!, at - k), theme.ground, softness));
  });
}

export const durationStep = (ps: number): number =>
  Math.max(0, Math.min(63, Math.round((Math.log10(Math.max(1, ps) / 1e3) / 9) * 63)));
