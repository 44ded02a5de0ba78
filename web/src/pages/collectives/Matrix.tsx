// Devices × collectives: how long each device waited in each of them.
import { createMemo, For, type JSX, Show } from 'solid-js';
import type { ColumnOf, Row, Rows } from '../../api/document';
import { programText, sharedNames } from '../../api/programs';
import type { Tables } from '../../api/tables';
import { Link } from '../../app/Link';
import { operationHref, operationSliceHref } from '../../app/view';
import { chooseStyle, formatNumber } from '../../format/numbers';

const mostCollectives = 40;

// `time`: the column of the cells.
export function Matrix(props: {
  rows: Rows<Tables['collective_matrix']>;
  time: ColumnOf<'collective_matrix'>;
}): JSX.Element {
  const grid = createMemo(() => {
    const { rows } = props;
    const collectives = collectivesOf(rows).slice(0, mostCollectives);
    const devices = [...new Set(rows.all.map(row => deviceOf(rows, row)))];
    const cells = new Map(rows.all.map(row => [`${deviceOf(rows, row)}\n${keyOf(rows, row)}`, row]));
    const known = rows.all.flatMap(row => rows.number(row, props.time) ?? []);
    const hosts = new Set(rows.all.map(row => rows.text(row, 'host')));
    return {
      collectives,
      devices,
      cells,
      severalHosts: hosts.size > 1,
      most: Math.max(...known, 1),
      style: chooseStyle('ps', true, known),
    };
  });
  // The first execution on that device.
  const place = (row: Row | undefined): string => {
    if (!row) return '';
    const of = (column: ColumnOf<'collective_matrix'>): string => props.rows.text(row, column);
    const part = { device: of('device'), ...(grid().severalHosts && { host: of('host') }) };
    return operationSliceHref(of('program_id'), of('collective'), part);
  };
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
                {({ name, of, program }) => (
                  <th scope="col">
                    <a href={operationHref(program, name)}>{name}</a>
                    <Show when={of}>
                      <br />
                      <span class="muted">{of}</span>
                    </Show>
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
                    {({ key }) => {
                      const row = (): Row | undefined => grid().cells.get(`${device}\n${key}`);
                      const value = (): number | null => props.rows.number(row(), props.time);
                      return (
                        <td style={{ '--heat': String((value() ?? 0) / grid().most) }}>
                          <Link to={place(row())}>{formatNumber(grid().style, value())}</Link>
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

const deviceOf = (rows: Rows<Tables['collective_matrix']>, row: Row): string =>
  `${rows.text(row, 'host')} ${rows.text(row, 'device')}`;

const keyOf = (rows: Rows<Tables['collective_matrix']>, row: Row): string =>
  `${rows.text(row, 'program_id')}/${rows.text(row, 'collective')}`;

interface Collective {
  readonly key: string;
  readonly name: string;
  readonly program: string; // its id
  readonly of: string; // the program in words, where another has a collective of this name
}

function collectivesOf(rows: Rows<Tables['collective_matrix']>): Collective[] {
  const shared = sharedNames(rows, 'collective');
  const found = rows.all.map(row => ({
    key: keyOf(rows, row),
    name: rows.text(row, 'collective'),
    program: rows.text(row, 'program_id'),
    of: shared.has(rows.text(row, 'collective')) ? programText(rows, row) : '',
  }));
  return [...new Map(found.map(collective => [collective.key, collective])).values()];
}
