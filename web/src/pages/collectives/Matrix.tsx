// Devices × collectives: how long each device waited in each of them.
import { createMemo, For, type JSX, Show } from 'solid-js';
import type { Rows } from '../../api/document';
import { pageHref } from '../../app/view';
import { chooseStyle, formatNumber } from '../../format/numbers';

const mostCollectives = 40;

// `time`: the column of the cells.
export function Matrix(props: { rows: Rows; time: string }): JSX.Element {
  const grid = createMemo(() => {
    const { rows } = props;
    const collectives = [...new Set(rows.all.map(row => rows.text(row, 'collective')))].slice(
      0,
      mostCollectives,
    );
    const devices = [...new Set(rows.all.map(row => deviceOf(rows, row)))];
    const cells = new Map(
      rows.all.map(row => [
        `${deviceOf(rows, row)}\n${rows.text(row, 'collective')}`,
        rows.number(row, props.time),
      ]),
    );
    const known = [...cells.values()].filter(value => value !== null);
    return {
      collectives,
      devices,
      cells,
      most: Math.max(...known, 1),
      style: chooseStyle('ps', true, known),
    };
  });
  return (
    <Show
      when={grid().devices.length > 1}
      fallback={
        <p class="muted">Who waited for whom is not known: the capture holds one device of the group.</p>
      }
    >
      <div class="scroll">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">{grid().style.unit}</th>
              <For each={grid().collectives}>
                {name => (
                  <th scope="col">
                    <a href={pageHref('op', { name })}>{name}</a>
                  </th>
                )}
              </For>
            </tr>
          </thead>
          <tbody>
            <For each={grid().devices}>
              {device => (
                <tr>
                  <th scope="row">{device}</th>
                  <For each={grid().collectives}>
                    {name => {
                      const value = (): number | null => grid().cells.get(`${device}\n${name}`) ?? null;
                      return (
                        <td style={{ '--heat': String((value() ?? 0) / grid().most) }}>
                          {formatNumber(grid().style, value())}
                        </td>
                      );
                    }}
                  </For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Show>
  );
}

const deviceOf = (rows: Rows, row: Rows['all'][number]): string =>
  `${rows.text(row, 'host')} ${rows.text(row, 'device')}`;
