// Named amounts as bars, the name and the amount in words beside them.
import { createMemo, For, type JSX, Show } from 'solid-js';

export interface BarItem {
  readonly name: string;
  readonly amount: string;
  readonly share: string;
  readonly value: number;
  readonly color: string; // CSS variable
  readonly href?: string | undefined;
  readonly level?: number;
  readonly title?: string;
}

export function BarList(props: { items: readonly BarItem[]; label: string }): JSX.Element {
  const items = createMemo(() => props.items);
  const most = createMemo(() => items().reduce((sofar, item) => Math.max(sofar, item.value), 1e-9));
  return (
    <ul class="bars" aria-label={props.label}>
      <For each={items()}>
        {item => (
          <li title={item.title ?? item.name}>
            <span class="name" style={{ 'padding-left': `${(item.level ?? 0) * 14}px` }}>
              <Show when={item.href} fallback={item.name}>
                {address => <a href={address()}>{item.name}</a>}
              </Show>
            </span>
            <span class="number">{item.amount}</span>
            <span class="number muted">{item.share}</span>
            <span class="track">
              <span
                style={{
                  width: item.value > 0 ? `max(1px, ${(100 * item.value) / most()}%)` : '0',
                  background: `var(--${item.color})`,
                  opacity: item.level ? '0.7' : '1',
                }}
              />
            </span>
          </li>
        )}
      </For>
    </ul>
  );
}
