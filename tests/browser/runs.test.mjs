// The list of runs, and what is shown where there is no run, no capture or no server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { becomes, runNames, start } from './setup.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('the list of runs has every run with its figures', async () => {
  const page = await view.open('#/');
  await page.waitForFunction(count => document.querySelectorAll('.runs .spark').length >= count, runNames.length);
  const rows = await page.$$eval('.runs tbody tr', all => all.map(row => row.textContent));
  assert.equal(rows.length, Object.keys(view.runs).length);
  const document = view.json('gpt', 'steps');
  const median = document.tables.step_times.columns.findIndex(column => column.name === 'median');
  const shown = rows.find(row => row.includes('gpt/'));
  assert.ok(shown.includes(`${(document.tables.step_times.rows[0][median] / 1e9).toFixed(1)} ms`), shown);
  assert.ok(rows.find(row => row.includes('eight/')).includes('8 × CPU device'));
  await page.click('.runs th button:text("size")');
  const sizes = Object.values(view.runs).map(run => run.bytes);
  await becomes(async () => assert.equal(await page.locator('.runs th[aria-sort=descending]').count(), 1));
  const largest = Object.values(view.runs).find(run => run.bytes === Math.max(...sizes));
  await becomes(async () => assert.equal(await page.textContent('.runs tbody td.name a'), largest.label));
  await page.fill('[aria-label="filter runs"]', 'starved');
  await becomes(async () => assert.equal(await page.locator('.runs tbody tr').count(), 1));
  await page.click('.runs tbody a');
  await page.settled();
  await becomes(() => assert.match(page.url(), /overview$/));
  await page.done();
});

test('the list of runs takes the filters of a table', async () => {
  const page = await view.open('#/');
  await page.settled();
  await page.fill('input[aria-label="filter runs"]', 'busy>50% median_step>1ms');
  const shown = () => page.$$eval('table.runs td.name a', links => links.map(link => link.textContent.split('/')[0]));
  await becomes(async () => {
    const names = await shown();
    assert.ok(names.includes('gpt') && !names.includes('starved') && !names.includes('junk'), names.join());
  });
  await page.fill('input[aria-label="filter runs"]', 'busy>50ms');
  await becomes(async () => assert.match(await page.textContent('.page'), /“ms” is no unit of busy, which has %/));
  await page.done();
});

test('an empty directory says what was looked for and what to do', async () => {
  const { mkdtempSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const empty = await start({ directory: mkdtempSync(`${tmpdir()}/gait-empty-`) });
  const page = await empty.open('');
  await page.waitForSelector('h1.answer');
  const text = await page.textContent('main');
  assert.ok(text.length > 40, text);
  await page.done();
  await empty.stop();
});

test('a file that is no capture is told on every page, with what to do, and in the list', async () => {
  const page = await view.open(`#/${view.runs.junk.id}/overview`);
  for (const name of ['overview', 'ops', 'timeline', 'doctor']) {
    await page.visit(`#/${view.runs.junk.id}/${name}`);
    await page.waitForSelector('main [role=alert]');
    await page.settled();
    assert.match(await page.textContent('main [role=alert] h1'), /not an XPlane file/);
    assert.notEqual(await page.textContent('main [role=alert] .hint'), '', name);
  }
  await page.visit('#/');
  const row = page.locator('.runs tbody tr', { hasText: 'junk/' });
  const why = row.locator('.short.wide .alert'); // below the name in narrow windows
  await why.waitFor();
  assert.match(await why.textContent(), /^not an XPlane file/);
  const others = await page.$$eval('[aria-label="compare with"] option', all => all.map(one => one.textContent));
  assert.ok(!others.some(name => name.startsWith('junk')), others.join());
  await page.done();
});

test('a link to a run that is gone says so', async () => {
  const page = await view.open('#/000000000000/ops');
  await page.waitForSelector('h1.answer');
  assert.match(await page.textContent('h1.answer'), /not below/);
  await page.done();
});

// What a page shows when the answers are kept from it, and when they come again.
const keptFrom = async (hash, how, said) => {
  const page = await view.open('#/', {});
  await becomes(async () => assert.ok((await page.locator('.runs tbody tr').count()) > 0));
  let kept = true;
  await page.route('**/api/**', route => (kept ? how(route) : route.continue()));
  await page.visit(hash);
  await page.waitForSelector('.trouble');
  assert.match(await page.textContent('.trouble'), said);
  kept = false;
  await page.waitForSelector('main h1.answer, main .tl-title');
  await becomes(async () => assert.equal(await page.locator('.trouble').count(), 0));
  assert.doesNotMatch(await page.textContent('main'), /does not answer|too many/);
  await page.close(); // the console has the failed requests
};

test('a page that found no server goes on when there is one again', async () => {
  const away = route => route.abort('connectionrefused');
  for (const hash of ['kernels', 'timeline', 'diff'])
    await keptFrom(`#/${view.runs.gpt.id}/${hash}`, away, /gait does not answer.*open the address/);
});

test('a page that found a busy server asks again', async () => {
  const body = '{"error": {"what": "Too many requests wait.", "hint": ""}}';
  const busy = route =>
    route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, contentType: 'application/json', body });
  await keptFrom(`#/${view.runs.gpt.id}/kernels`, busy, /Too many requests wait.*asks again/);
});
