// A table of a document: sortable, filterable, with columns to choose, to copy and to download. Only visible
// rows are in the DOM. Sort, filter and columns live in the URL under the table's name.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import type { AnyColumns, NameIn, Row, Table } from '../api/document';
import { param, setParams } from '../app/router';
import { count } from '../format/numbers';
import { baseWidth } from '../format/width';
import { filterRows, parseFilter } from './filter';
import {
  type ColumnSpec,
  cellShown,
  gridColumns,
  layoutColumns,
  leastWidth,
  type ShownColumn,
} from './layout';
import { formatSort, parseSort, sortRows } from './order';
import { TableTools } from './TableTools';
import { createRowWindow, rowHeight, rowsThatFit } from './window';

export interface DataTableProps<C = AnyColumns> {
  readonly name: string; // unique on the page; also the name of downloads
  readonly title?: string;
  readonly table: Table<C>;
  readonly columns: readonly ColumnSpec<NameIn<NoInfer<C>>>[]; // shown unless others are chosen; the rest can be chosen
  readonly depth?: NameIn<NoInfer<C>>; // of a tree: the column with a row's depth
  readonly maxRows?: number; // that are visible before the table scrolls; else as many as the window has room for
  readonly open?: (row: Row) => void;
  readonly chosen?: (row: Row) => boolean;
  readonly empty?: JSX.Element; // why there is no row
  readonly about?: string;
  readonly of?: number; // how many there are of what is shown, where the table has not all of them
}

// The compiler checks that the table has the columns; here they are any.
export const DataTable = AnyTable as <C>(props: DataTableProps<C>) => JSX.Element;

function AnyTable(props: DataTableProps): JSX.Element {
  const depthIndex = createMemo(() => props.table.columns.findIndex(c => c.name === props.depth));
  // Strings, so that what depends on them is made anew only when they change.
  const chosenText = createMemo(() => param(`${props.name}.columns`));
  const sortText = createMemo(() => param(`${props.name}.sort`));
  const filter = createMemo(() => param(`${props.name}.filter`));
  const chosenNames = createMemo(() => {
    const chosen = chosenText();
    return chosen ? chosen.split(',') : props.columns.map(spec => spec.name);
  });
  const shown = createMemo<ShownColumn[]>(() => {
    const specs = new Map(props.columns.map(spec => [spec.name, spec]));
    const found = chosenNames().flatMap(name => {
      const index = props.table.columns.findIndex(column => column.name === name);
      return index < 0 ? [] : [{ index, spec: specs.get(name) ?? { name } }];
    });
    return layoutColumns(props.table, found, depthIndex() >= 0);
  });
  const sort = createMemo(() => parseSort(sortText()));
  // Texts that stand instead of values.
  const texts = (row: Row): string[] => shown().flatMap(({ spec }) => spec.show?.(row) ?? []);
  const parsed = createMemo(() =>
    parseFilter(props.table.columns, filter(), { labels: props.columns, texts }),
  );
  const order = createMemo(() =>
    sortRows(props.table, filterRows(props.table, parsed(), depthIndex()), sort(), depthIndex()),
  );
  const [active, setActive] = createSignal(-1);
  const most = (): number => props.maxRows ?? rowsThatFit();
  const window = createRowWindow(() => order().length, most);

  const sortBy = (column: ShownColumn): void => {
    const now = sort();
    const first = column.numeric; // numbers: the largest first
    const next =
      now?.column !== column.column.name
        ? { column: column.column.name, descending: first }
        : now.descending === first
          ? { column: column.column.name, descending: !first }
          : undefined;
    setParams({ [`${props.name}.sort`]: formatSort(next) });
  };

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(order().length - 1, to));
    setActive(next);
    window.reveal(next);
  };
  const keys: { [key: string]: () => void } = {
    ArrowDown: () => move(active() + 1),
    ArrowUp: () => move(active() - 1),
    PageDown: () => move(active() + most()),
    PageUp: () => move(active() - most()),
    Home: () => move(0),
    End: () => move(order().length - 1),
    Enter: () => {
      const row = props.table.rows[order()[active()] ?? -1];
      if (row) props.open?.(row);
    },
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = keys[event.key];
    if (!action || event.target !== event.currentTarget) return;
    event.preventDefault();
    action();
  };

  const ariaSort = (column: ShownColumn): 'none' | 'ascending' | 'descending' => {
    const now = sort();
    return now?.column !== column.column.name ? 'none' : now.descending ? 'descending' : 'ascending';
  };

  return (
    <section class="table" data-table={props.name} aria-label={props.title ?? props.name}>
      <TableTools {...props} chosen={chosenNames()} filter={filter()} order={order()} shown={shown()} />
      <Show when={props.about && props.table.rows.length > 0}>
        <p class="hint small about">{props.about}</p>
      </Show>
      <Show
        when={props.table.rows.length > 0}
        fallback={<p class="none">{props.empty ?? 'There are no rows.'}</p>}
      >
        <div
          class="scroll"
          role="grid"
          tabindex={0}
          aria-rowcount={order().length + 1}
          aria-colcount={shown().length}
          aria-activedescendant={active() >= 0 ? `${props.name}-${active()}` : undefined}
          aria-label={props.title ?? props.name}
          style={{
            'max-height': `${rowHeight * (most() + 1) + 18}px`,
            '--columns': gridColumns(shown()),
            '--least': leastWidth(shown()),
          }}
          ref={window.attach}
          onKeyDown={onKeyDown}
          onFocus={() => active() < 0 && setActive(0)}
        >
          <div class="head row" role="row">
            <For each={shown()}>
              {column => (
                <div
                  class={column.numeric ? 'number' : ''}
                  role="columnheader"
                  data-column={column.column.name}
                  aria-sort={ariaSort(column)}
                >
                  <button
                    type="button"
                    title={column.spec.about ?? `sort by ${column.head}`}
                    onClick={() => sortBy(column)}
                  >
                    {column.head}
                    <span aria-hidden="true" class="arrow">
                      {ariaSort(column) === 'none' ? '' : ariaSort(column) === 'descending' ? ' ↓' : ' ↑'}
                    </span>
                  </button>
                </div>
              )}
            </For>
          </div>
          <div class="body" style={{ height: `${order().length * rowHeight}px` }}>
            <For each={window.visible()}>
              {position => (
                <TableRow
                  id={`${props.name}-${position}`}
                  position={position}
                  row={props.table.rows[order()[position]!]!}
                  shown={shown()}
                  level={
                    depthIndex() < 0 ? 0 : Number(props.table.rows[order()[position]!]![depthIndex()] ?? 0)
                  }
                  active={active() === position}
                  chosen={props.chosen?.(props.table.rows[order()[position]!]!) ?? false}
                  {...(props.open ? { open: props.open } : {})}
                  pick={() => setActive(position)}
                />
              )}
            </For>
          </div>
        </div>
        <Show when={order().length === 0}>
          <p class="none">
            {parsed().problem ?? `No row passes the filter “${filter()}”.`} {count(props.table.rows.length)}{' '}
            are there.
          </p>
        </Show>
      </Show>
    </section>
  );
}

interface TableRowProps {
  readonly id: string;
  readonly position: number;
  readonly row: Row;
  readonly shown: readonly ShownColumn[];
  readonly level: number;
  readonly active: boolean;
  readonly chosen: boolean;
  readonly open?: (row: Row) => void;
  readonly pick: () => void;
}

function TableRow(props: TableRowProps): JSX.Element {
  const onClick = (event: MouseEvent): void => {
    props.pick();
    const text = getSelection()?.toString() ?? '';
    if (text === '' && !(event.target as Element).closest('a, button')) props.open?.(props.row);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it has the keys
    <div
      id={props.id}
      class="row"
      classList={{ active: props.active, chosen: props.chosen, opens: props.open !== undefined }}
      role="row"
      aria-rowindex={props.position + 2}
      aria-selected={props.active}
      style={{ transform: `translateY(${props.position * rowHeight}px)` }}
      onClick={onClick}
    >
      <For each={props.shown}>
        {(column, i) => <TableCell column={column} row={props.row} indent={i() === 0 ? props.level : 0} />}
      </For>
    </div>
  );
}

function TableCell(props: { column: ShownColumn; row: Row; indent: number }): JSX.Element {
  const text = (): string => cellShown(props.column, props.row);
  const isCut = (): boolean =>
    props.column.key && !props.column.spec.keepEnd && text().length > mayBeCut && !props.column.numeric;
  const shown = (): JSX.Element =>
    isCut() ? (
      <>
        <span class="start" style={{ '--end': `${Math.ceil(baseWidth(text().slice(-keptEnd)))}px` }}>
          {text().slice(0, -keptEnd)}
        </span>
        <span>{text().slice(-keptEnd)}</span>
      </>
    ) : (
      text()
    );
  const link = (): string | undefined => props.column.spec.link?.(props.row);
  const value = (): number => {
    const cell = props.row[props.column.index];
    return typeof cell === 'number' ? cell : 0;
  };
  const isSigned = (): boolean => props.column.spec.bar === 'signed';
  return (
    <div
      role="gridcell"
      classList={{
        number: props.column.numeric,
        'keep-end': props.column.spec.keepEnd === true,
        'keep-both': isCut(),
      }}
      title={text()}
      style={{ 'padding-left': props.indent ? `${8 + props.indent * 16}px` : undefined }}
    >
      <Show when={props.column.spec.bar && props.column.largest > 0}>
        <span
          class="fill"
          classList={{ grown: isSigned() && value() > 0, shrunk: isSigned() && value() < 0 }}
          style={isSigned() ? signedFill(props.column, value()) : plainFill(props.column, value())}
        />
      </Show>
      {props.column.spec.mark?.(props.row)}
      <Show when={link()} fallback={<bdi>{shown()}</bdi>}>
        {address => <a href={address()}>{shown()}</a>}
      </Show>
    </div>
  );
}

const plainFill = (column: ShownColumn, value: number): JSX.CSSProperties => ({
  width: `${(100 * Math.abs(value)) / column.largest}%`,
});

// All bars of a column begin at the same place: 0.
function signedFill(column: ShownColumn, value: number): JSX.CSSProperties {
  const whole = column.highest - column.lowest;
  const from = Math.min(0, value) - column.lowest;
  return { left: `${(100 * from) / whole}%`, width: `${(100 * Math.abs(value)) / whole}%` };
}

// Names of kernels often differ at their ends only.
const keptEnd = 12;
const mayBeCut = 18;
