// @ts-expect-error: the app runs without node, and has no types of it
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idleCauses } from './causes';
import { memoryHues } from './colors';

type Lab = readonly [number, number, number];

// The colours of both themes by name, each as OKLab: there, distances are what the eye sees.
const tokens: string = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
const colors = new Map<string, readonly Lab[]>(
  [...tokens.matchAll(/--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)/g)].map(
    ([, name, ...both]) => [name!, both.map(lab)] as const,
  ),
);

function lab(hex: string): Lab {
  const [r, g, b] = [0, 2, 4].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const distances = (a: string, b: string): number[] =>
  [0, 1].map(theme => Math.hypot(...colors.get(a)![theme]!.map((x, i) => x - colors.get(b)![theme]![i]!)));

test('what small parts are drawn in is unlike all that may lie beside it, and stands back behind them', () => {
  const parts = [
    'compute',
    'communication',
    'copies',
    'layout',
    'reduction',
    ...idleCauses.map(cause => cause.color),
  ];
  for (const part of parts) {
    expect(Math.min(...distances('rest', part)), part).toBeGreaterThan(0.06);
    distances('ground', part).forEach((distance, theme) => {
      expect(distance, part).toBeGreaterThan(distances('ground', 'rest')[theme]!);
    });
  }
});

test('kinds of memory can be told apart', () => {
  const hues = Object.values(memoryHues);
  hues.forEach((hue, i) => {
    for (const other of hues.slice(i + 1))
      expect(Math.min(...distances(hue, other)), `${hue} ${other}`).toBeGreaterThan(0.08);
  });
});
