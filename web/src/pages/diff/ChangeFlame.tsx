// What changed, as a flame graph: a box is as wide as all increases and decreases below it, so that nothing
// cancels out of sight; the shaded part is what is left of them, red for more time, green for less.
import { createMemo, createSignal, type JSX, Show } from 'solid-js';
import { type Document, rowsOf } from '../../api/document';
import { Section } from '../../app/Page';
import { Icicle } from '../../charts/Icicle';
import { type Node, treeOfStacks } from '../../charts/tree';
import { time } from '../../format/numbers';

const separator = '\u001f';

export function ChangeFlame(props: { document: Document }): JSX.Element {
  const [top, setTop] = createSignal('');
  const stacks = createMemo(() => {
    const rows = rowsOf(props.document, 'operations');
    return rows.all.map(row => ({
      frames: [...rows.text(row, 'scope').split('/').filter(Boolean), rows.text(row, 'operation')],
      delta: rows.number(row, 'delta') ?? 0,
    }));
  });
  const tree = createMemo(() =>
    treeOfStacks(
      stacks().map(({ frames, delta }) => ({ frames, value: Math.abs(delta) })),
      'all operations',
      () => 'idle',
    ),
  );
  // What the changes below a box come to.
  const net = createMemo(() => {
    const sums = new Map<string, number>();
    const add = (key: string, delta: number) => sums.set(key, (sums.get(key) ?? 0) + delta);
    for (const { frames, delta } of stacks()) {
      add('', delta);
      frames.forEach((_, i) => {
        add(frames.slice(0, i + 1).join(separator), delta);
      });
    }
    return sums;
  });
  const of = (node: Node): number => net().get(node.key) ?? 0;
  const signed = (value: number): string =>
    `${value > 0 ? '+' : value < 0 ? '−' : ''}${time(Math.abs(value))}`;
  return (
    <Show when={tree().value > 0}>
      <Section
        title="Changes of operations, by scope"
        hint="Operations only: idle time has no scope. A box is as wide as all increases and decreases below it; the shaded part is what is left of them, red for more time, green for less. A click looks into a scope."
      >
        <Icicle
          root={tree()}
          top={top()}
          show={node => signed(of(node))}
          part={node =>
            node.value > 0
              ? { share: Math.abs(of(node)) / node.value, color: of(node) > 0 ? 'reduction' : 'host' }
              : undefined
          }
          onPick={node => setTop(node.key)}
          label="changes of device time by scope"
        />
      </Section>
    </Show>
  );
}
