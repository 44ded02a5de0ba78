// A small line of values, from 0 up: how even steps are, seen at a glance.
import type { JSX } from 'solid-js';

export function Spark(props: { values: readonly number[]; label: string; width?: number }): JSX.Element {
  const width = (): number => props.width ?? 120;
  const points = (): string => {
    const high = Math.max(...props.values);
    const last = Math.max(1, props.values.length - 1);
    return props.values
      .map((v, i) => `${(i / last) * width()},${21 - (high > 0 ? v / high : 0) * 18}`)
      .join(' ');
  };
  return (
    <svg class="spark" role="img" aria-label={props.label} width={width()} height="22">
      <title>{props.label}</title>
      <polyline points={points()} />
    </svg>
  );
}
