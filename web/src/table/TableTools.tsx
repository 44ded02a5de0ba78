// The line above a table: its title, how many rows, the filter, columns to choose, copy and download.
import { For, type JSX, onCleanup, onMount } from 'solid-js';
import { setParams } from '../app/router';
import { count } from '../format/numbers';
import type { DataTableProps } from './DataTable';
import { ExportButtons } from './ExportButtons';
import { type ShownColumn, words } from './layout';

interface TableToolsProps extends Omit<DataTableProps, 'chosen'> {
  readonly chosen: readonly string[];
  readonly filter: string;
  readonly order: readonly number[];
  readonly shown: readonly ShownColumn[];
}

export function TableTools(props: TableToolsProps): JSX.Element {
  let menu!: HTMLDetailsElement;
  const closeOutside = (event: PointerEvent): void => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  };
  onMount(() => addEventListener('pointerdown', closeOutside));
  onCleanup(() => removeEventListener('pointerdown', closeOutside));
  const choose = (name: string, on: boolean): void => {
    const all = props.table.columns.map(column => column.name);
    const next = on ? [...props.chosen, name] : props.chosen.filter(chosen => chosen !== name);
    const usual = props.columns.map(spec => spec.name);
    const same = next.length === usual.length && next.every((column, i) => column === usual[i]);
    const known = next.filter(column => all.includes(column));
    setParams({ [`${props.name}.columns`]: same ? '' : known.join(',') });
  };
  const counted = (): string => {
    const all = props.of ?? props.table.rows.length;
    return props.order.length === all ? count(all) : `${count(props.order.length)} of ${count(all)}`;
  };

  return (
    <div class="tools">
      <h2>{props.title ?? words(props.name)}</h2>
      <span class="muted" aria-live="polite">
        {counted()}
      </span>
      <span class="room" />
      <input
        type="search"
        aria-label={`filter ${props.title ?? props.name}`}
        title="words that a row must hold; share>5, time>=10us and name:dot look into one column"
        placeholder="filter"
        value={props.filter}
        onInput={event => setParams({ [`${props.name}.filter`]: event.currentTarget.value })}
        onKeyDown={event => {
          if (event.key === 'Escape') setParams({ [`${props.name}.filter`]: '' });
        }}
      />
      <details
        class="choose"
        ref={menu}
        onKeyDown={event => {
          if (event.key === 'Escape') menu.open = false;
        }}
      >
        <summary>columns</summary>
        <div class="list">
          <For each={props.table.columns}>
            {column => (
              <label>
                <input
                  type="checkbox"
                  checked={props.chosen.includes(column.name)}
                  onChange={event => choose(column.name, event.currentTarget.checked)}
                />
                {words(column.name)}
              </label>
            )}
          </For>
        </div>
      </details>
      <ExportButtons
        name={props.name}
        columns={props.table.columns}
        rows={() => props.order.map(i => props.table.rows[i]!)}
        shown={props.shown.map(column => column.index)}
      />
    </div>
  );
}
