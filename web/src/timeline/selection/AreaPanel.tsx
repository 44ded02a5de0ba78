// What lies in the marked area: the time partition of its devices, and a table by name.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { type ColumnOf, type Row, type Rows, rowsOf } from '../../api/document';
import type { Tables } from '../../api/tables';
import { hue } from '../../app/colors';
import { param, setParams } from '../../app/router';
import { createDocument } from '../../app/session';
import { BarList } from '../../charts/BarList';
import { chooseStyle, formatNumber, percent, time } from '../../format/numbers';
import { DataTable } from '../../table/DataTable';
import { Swatch } from '../../table/Swatch';
import type { Area } from './area';

const groupings = ['name', 'operation', 'scope', 'category'];
const parts: readonly (readonly [ColumnOf<'area_time'>, string, string])[] = [
  ['compute', 'compute', 'compute'],
  ['exposed_communication', 'exposed communication', 'communication'],
  ['exposed_copies', 'exposed copies', 'copies'],
  ['unknown', 'kernels of no program', 'layout'],
  ['idle', 'idle', 'idle'],
];

export function AreaPanel(props: { area: Area; clear: () => void }): JSX.Element {
  const by = (): string => (groupings.includes(param('areaby')) ? param('areaby') : 'name');
  const document = createDocument(
    () => 'area',
    () => ({
      from: Math.round(props.area.from),
      to: Math.round(props.area.to),
      tracks: props.area.tracks.join(','),
      by: by(),
    }),
  );
  const rows = createMemo(() => rowsOf(document.document(), 'area'));
  const devices = createMemo(() => rowsOf(document.document(), 'area_time')); // none: host threads only
  // A name is looked for as a whole; of a category come its names, of a scope its operations.
  const open = (row: Row): void => {
    const name = rows().text(row, 'name');
    const only = `${by()}="${name}" on=${rows().text(row, 'on')}`;
    if (by() === 'category') setParams({ areaby: '', 'area.filter': only }, 'push');
    else if (by() === 'scope') setParams({ areaby: 'operation', 'area.filter': only }, 'push');
    else if (name !== '') setParams({ q: `"${name}"` });
  };
  return (
    <div class="tl-area">
      <div class="tabs">
        <h2>
          {time(props.area.to - props.area.from)} from {time(props.area.from)}
        </h2>
        <span class="muted">by</span>
        <For each={groupings}>
          {group => (
            <button
              type="button"
              aria-pressed={by() === group}
              onClick={() => setParams({ areaby: group === 'name' ? '' : group, 'area.filter': '' })}
            >
              {group}
            </button>
          )}
        </For>
        <button type="button" title="Esc" onClick={() => props.clear()}>
          clear the area
        </button>
        <span class="muted">{document.error()?.message ?? document.document()?.answer}</span>
      </div>
      <Show when={document.document()}>
        <div class="content" classList={{ alone: devices().length === 0 }}>
          <Show when={devices().length > 0}>
            <Partition rows={devices()} />
          </Show>
          <DataTable
            name="area"
            title={by()}
            table={rows().table}
            columns={[
              {
                name: 'name',
                label: by(),
                mark: row => <Swatch color={hue(rows().text(row, 'category'))} />,
              },
              { name: 'on' },
              { name: 'count' },
              { name: 'total', label: 'inside' },
              { name: 'self', partOf: 'total' },
              { name: 'share', bar: true },
              { name: 'mean', label: 'mean length' },
              { name: 'p50' },
              { name: 'p99' },
              { name: 'max' },
            ]}
            maxRows={8}
            open={open}
            empty="No slice lies in this area."
          />
        </div>
      </Show>
    </div>
  );
}

function Partition(props: { rows: Rows<Tables['area_time']> }): JSX.Element {
  return (
    <div class="partition">
      <For each={props.rows.all}>
        {row => {
          const whole = props.rows.number(row, 'window') ?? 0;
          const shown = parts
            .map(([id, name, color]) => ({ name, color, value: props.rows.number(row, id) ?? 0 }))
            .filter(part => part.value > 0);
          const style = chooseStyle(
            'ps',
            true,
            shown.map(part => part.value),
          );
          return (
            <div>
              <h3 class="muted small">
                {props.rows.text(row, 'host')} {props.rows.text(row, 'device')}
              </h3>
              <BarList
                label={`time of ${props.rows.text(row, 'device')} in the area`}
                items={shown.map(part => ({
                  ...part,
                  amount: `${formatNumber(style, part.value)} ${style.unit}`,
                  share: whole > 0 ? percent((100 * part.value) / whole) : '',
                }))}
              />
            </div>
          );
        }}
      </For>
    </div>
  );
}
