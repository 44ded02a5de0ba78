// Reads tables off a page and holds them against what `gait --json` prints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const factors = {
  ns: 1e3, µs: 1e6, ms: 1e9, s: 1e12,
  B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4,
  'B/s': 1, 'kB/s': 1e3, 'MB/s': 1e6, 'GB/s': 1e9, 'TB/s': 1e12,
  FLOP: 1, MFLOP: 1e6, GFLOP: 1e9, TFLOP: 1e12, PFLOP: 1e15,
  'FLOP/s': 1, 'MFLOP/s': 1e6, 'GFLOP/s': 1e9, 'TFLOP/s': 1e12, 'PFLOP/s': 1e15,
  '%': 1,
};

export const readTables = page =>
  page.evaluate(() =>
    [...document.querySelectorAll('[data-table]')].map(section => ({
      name: section.dataset.table,
      rows: Number(section.querySelector('[role=grid]')?.getAttribute('aria-rowcount') ?? 1) - 1,
      columns: [...section.querySelectorAll('[role=columnheader]')].map(head => ({
        name: head.dataset.column,
        head: head.textContent.replace(/ [↓↑]$/, ''),
      })),
      cells: [...section.querySelectorAll('.body [role=row]')]
        .slice(0, 8)
        .map(row => [...row.querySelectorAll('[role=gridcell]')].map(cell => cell.textContent.trim())),
    })),
  );

// A number as it is shown, within its last digit.
function sameNumber(shown, head, raw) {
  const unit = head.split(' ').at(-1);
  const factor = factors[unit] ?? 1;
  const text = shown.replaceAll('\u202f', '').replace('−', '-');
  const decimals = /\.(\d+)/.exec(text)?.[1].length ?? 0;
  const last = 10 ** -decimals;
  if (text.startsWith('-<')) return raw < 0 && -raw < Number(text.slice(2)) * factor;
  if (text.startsWith('<')) return raw > 0 && raw < Number(text.slice(1)) * factor;
  return Math.abs(Number(text) * factor - raw) <= (0.5 * last + 1e-9) * factor + Math.abs(raw) * 1e-12;
}

// Words that stand for an identifier: those of idle causes (web/src/api/tables.ts).
const source = readFileSync(new URL('../../web/src/api/tables.ts', import.meta.url), 'utf8');
const [, names] = /idleCauseNames = \{(.*?)\}/s.exec(source);
export const causes = new Map([...names.matchAll(/(\w+): '([^']+)'/g)].map(([, id, name]) => [id, name]));
const said = (column, raw) => (['cause', 'class'].includes(column) ? (causes.get(raw) ?? raw) : raw.trim());

// Programs of one name have their id behind it.
function programText(table, row) {
  const [name, id] = ['program', 'program_id'].map(wanted => table.columns.findIndex(column => column.name === wanted));
  const ids = new Set(table.rows.filter(other => other[name] === row[name]).map(other => other[id]));
  return ids.size > 1 ? `${row[name]}(${row[id]})` : row[name];
}

export function compareTable(shown, table) {
  assert.equal(shown.rows, table.rows.length, `${shown.name}: number of rows`);
  shown.cells.forEach((cells, i) => {
    cells.forEach((text, k) => {
      const { name, head } = shown.columns[k];
      const index = table.columns.findIndex(column => column.name === name);
      const raw = table.rows[i][index];
      const where = `${shown.name} row ${i} ${name}: shown ${text}, JSON ${JSON.stringify(raw)}`;
      if (raw === null || raw === '') assert.equal(text, '–', where);
      else if (typeof raw === 'number') assert.ok(sameNumber(text, head, raw), where);
      else if (name === 'program') assert.equal(text, programText(table, table.rows[i]), where);
      // Of a gap with several causes: how much of it the largest has.
      else if (name === 'cause') assert.equal(text.replace(/, \d+ %$/, ''), said(name, raw), where);
      else if (typeof raw === 'string') assert.equal(text, said(name, raw) || '–', where);
    });
  });
}
