// Every page on every kind of capture: the answer and the tables are what the command says, nothing goes
// wrong, and no request leaves the origin.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, runNames, start } from './setup.mjs';
import { compareTable, readTables } from './tables.mjs';

// Page, verb, options: where its tables come from.
const pages = [
  ['overview', 'overview'],
  ['ops', 'ops'],
  ['ops?by=scope', 'ops', '--by', 'scope'],
  ['ops?by=layer', 'ops', '--by', 'layer'],
  ['ops?by=category', 'ops', '--by', 'category'],
  ['kernels', 'kernels'],
  ['idle', 'idle'],
  ['path', 'path'],
  ['memory', 'memory'],
  ['transfers', 'transfers'],
  ['collectives', 'collectives'],
  ['compile', 'compile'],
  ['roofline', 'roofline'],
  ['host', 'host'],
  ['doctor', 'doctor', '--verbose'],
];

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

// The page is about one allocator at a time: at first the one with the largest peak.
function liveAtWorst({ tables }) {
  const of = (table, name) => table.columns.findIndex(column => column.name === name);
  const key = (table, row) => `${row[of(table, 'host')]} ${row[of(table, 'allocator')]}`;
  const { memory, memory_live: live } = tables;
  const [worst] = [...memory.rows].sort((a, b) => b[of(memory, 'peak')] - a[of(memory, 'peak')]);
  return { ...live, rows: live.rows.filter(row => key(live, row) === key(memory, worst)) };
}

for (const name of runNames) {
  test(`pages of ${name} say what the command says`, async () => {
    const page = await view.open(`#/${view.runs[name].id}/overview`);
    for (const [hash, verb, ...options] of pages) {
      const said = view.jsonSoon(name, verb, ...options);
      await page.visit(`#/${view.runs[name].id}/${hash}`);
      await page.settled();
      const document = await said;
      assert.equal(await page.textContent('h1.answer'), document.answer, `${name} ${hash}`);
      for (const table of await readTables(page)) {
        const expected = table.name === 'memory_live' ? liveAtWorst(document) : document.tables[table.name];
        if (expected && table.columns.length > 0) compareTable(table, expected);
      }
      page.fine();
    }
    await page.done();
  });
}

test('a capture without steps is told as a whole: totals, and no word of a step', async () => {
  const page = await view.open(`#/${view.runs.whole.id}/overview`);
  for (const verb of ['overview', 'ops', 'kernels', 'idle', 'path', 'host']) {
    const said = view.jsonSoon('whole', verb);
    await page.visit(`#/${view.runs.whole.id}/${verb}`);
    await page.settled();
    const document = await said;
    assert.equal(await page.textContent('h1.answer'), document.answer, verb);
    const words = await page.$$eval('main h2, main dt, [role=columnheader], .top-findings', all =>
      all.map(one => one.textContent),
    );
    assert.ok(!words.some(text => /a step/.test(text)), `${verb}: ${words.join(', ')}`);
    for (const table of await readTables(page)) {
      if (document.tables[table.name] && table.columns.length > 0) compareTable(table, document.tables[table.name]);
      for (const [i, column] of table.columns.entries())
        if (/in all/.test(column.head)) assert.ok(table.cells.some(cells => cells[i] !== '–'), `${verb} ${column.name}`);
    }
    const amounts = await page.$$eval('.bars .number:not(.muted)', all => all.map(one => one.textContent));
    assert.ok(!amounts.includes('–'), `${verb}: ${amounts.join(' ')}`);
    page.fine();
  }
  await page.done();
});

test('pages use a large screen, and fit a small one', async () => {
  const large = await view.open(`#/${view.runs.gpt.id}/ops`, { viewport: { width: 3840, height: 2160 } });
  await large.settled();
  const width = await large.evaluate(() => document.querySelector('main .page').getBoundingClientRect().width);
  assert.ok(width > 3500, String(width));
  const grid = await large.locator('[data-table=ops] [role=grid]').boundingBox();
  assert.ok(grid.height > 1500, String(grid.height));
  await large.done();
  const small = await view.open('#/', { viewport: { width: 800, height: 900 } });
  await small.waitForSelector('.runs .spark');
  const [needed, given] = await small.$eval('.runs', table => [table.scrollWidth, table.parentElement.clientWidth]);
  assert.ok(needed <= given, `${needed} in ${given}`);
  const row = small.locator('.runs tbody tr', { hasText: 'gpt/' });
  await becomes(async () => assert.match(await row.innerText(), /vm · \d+ steps · [\d.]+ .iB/)); // only what is seen
  await small.done();
});

test('what is drawn has a name for those who cannot see it', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/overview`);
  for (const name of ['overview', 'memory', 'roofline', 'timeline']) {
    await page.visit(`#/${view.runs.gpt.id}/${name}`);
    await page.settled();
    const unnamed = await page.$$eval('main canvas', all => all.filter(one => !one.getAttribute('aria-label')).length);
    assert.equal(unnamed, 0, name);
  }
  await page.done();
});

test('no line ends between a number and its unit', async () => {
  for (const width of [1440, 800, 620, 500]) {
    const page = await view.open(`#/${view.runs.eight.id}/overview`, { viewport: { width, height: 900 } });
    await page.settled();
    const lines = await page.$$eval('h1.answer .quantity', all => all.map(one => one.getClientRects().length));
    assert.ok(lines.length >= 4, `${lines}`);
    assert.deepEqual(new Set(lines), new Set([1]), `${width} pixels`);
    await page.done();
  }
});

test('a program in the link narrows the pages as the option does, until it is taken back', async () => {
  const { columns, rows } = view.json('recompile', 'ops').tables.ops;
  const program = rows.at(-1)[columns.findIndex(column => column.name === 'program')];
  const page = await view.open(`#/${view.runs.recompile.id}/ops?program=${program}`);
  const answer = async text => becomes(async () => assert.equal(await page.textContent('h1.answer'), text));
  await answer(view.json('recompile', 'ops', '--program', program).answer);
  await page.visit(`#/${view.runs.recompile.id}/kernels?program=${program}`);
  await answer(view.json('recompile', 'kernels', '--program', program).answer);
  await page.click(`.stepbox button:has-text("program ${program}")`);
  await answer(view.json('recompile', 'kernels').answer);
  await page.settled();
  await page.done();
});

test('a name cut in its middle is copied without a line break', async () => {
  const page = await view.open(`#/${view.runs.recompile.id}/kernels`, { viewport: { width: 800, height: 900 } });
  await page.settled();
  const copied = await page.evaluate(() => {
    const cell = [...document.querySelectorAll('[data-table=kernels] .keep-both')].find(one => {
      const start = one.querySelector('.start');
      return start.scrollWidth > start.clientWidth;
    });
    getSelection().selectAllChildren(cell);
    return { text: getSelection().toString(), name: cell.title, end: cell.scrollWidth - cell.clientWidth };
  });
  assert.equal(copied.text.trim(), copied.name);
  assert.ok(copied.end <= 0, 'its end is seen');
  await page.done();
});
