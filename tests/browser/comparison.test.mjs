// Two runs held against each other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linksIn, ofLink } from './links.mjs';
import { becomes, start } from './setup.mjs';
import { compareTable, readTables } from './tables.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('two runs are compared, from the list and from the bar', async () => {
  const page = await view.open('#/');
  await page.waitForSelector('.runs tbody tr');
  await page.check(`[aria-label^="pick gpt"]`);
  await page.check(`[aria-label^="pick starved"]`);
  await page.click('text=compare the two picked runs');
  await page.settled();
  const document = view.json('gpt', 'diff', view.runs.starved.path);
  assert.equal(await page.textContent('h1.answer'), document.answer);
  const parts = await page.$$eval('.changed tbody tr', all => all.map(row => row.firstElementChild.textContent));
  assert.deepEqual(parts, document.tables.what_changed.rows.map(row => row[0]));
  for (const table of await readTables(page)) {
    if (table.name !== 'quantities') compareTable(table, document.tables[table.name]);
  }
  await page.selectOption('[aria-label="compare with"]', view.runs.eager.id);
  await page.settled();
  const { answer } = view.json('gpt', 'diff', view.runs.eager.path);
  await becomes(async () => assert.equal(await page.textContent('h1.answer'), answer));
  await page.done();
});

test('a comparison has both distributions, a flame of the changes and linked timelines', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/diff?with=${view.runs.starved.id}`);
  await page.settled();
  assert.equal(await page.locator('.overlaid rect.before').count(), 48);
  // The net change of a box never exceeds its increases and decreases.
  const parts = await page.$$eval('.icicle .net', all => all.map(part => Number.parseFloat(part.style.width)));
  assert.ok(parts.length > 10 && parts.every(width => width <= 100.001));
  const lengths = () => page.$$eval('.page-timeline .tl-tools .muted', all => all.map(one => one.textContent));
  await page.waitForFunction(() => {
    const [a, b] = [...document.querySelectorAll('.page-timeline .tl-tools .muted')].map(one => one.textContent);
    return a !== undefined && a === b;
  });
  const before = await lengths();
  await page.locator('[aria-label="zoom in"]').first().click();
  await becomes(async () => {
    const [a, b] = await lengths();
    assert.equal(a, b);
    assert.notEqual(a, before[0]);
  });
  const linked = await lengths();
  await page.uncheck('label:has-text("move both") input');
  await page.locator('[aria-label="zoom in"]').first().click();
  await becomes(async () => assert.notEqual((await lengths())[0], linked[0]));
  assert.equal((await lengths())[1], linked[1]);
  await page.done();
});

test('an operation of a comparison leads to those of its scope and category', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/diff?with=${view.runs.starved.id}`);
  await page.settled();
  const row = page.locator('[data-table=operations] .body [role=row]', { hasText: /layer_1\// }).first();
  await page.fill('[aria-label="filter Operations"]', 'scope:/layer_1/');
  await row.locator('a').first().click();
  await page.settled();
  const filter = new URLSearchParams(page.url().split('?')[1]).get('ops.filter');
  assert.match(filter, /^scope:"\/.*\/layer_1\/.*\/" program:"jit_train_step" category="/);
  const scopes = await page.$$eval('[data-table=ops] .body [role=row]', rows => rows.map(row => row.textContent));
  assert.ok(scopes.length > 0 && scopes.length < 20, filter);
  await page.done();
});

test('runs on different numbers of devices are held against each other', async () => {
  const page = await view.open(`#/${view.runs.eager.id}/scaling`);
  await page.waitForSelector('h1.answer');
  await page.check('label:has-text("eight/") input');
  await page.settled();
  const document = view.json('eager', 'scale', view.runs.eight.path);
  await becomes(async () => assert.equal(await page.textContent('h1.answer'), document.answer));
  for (const table of await readTables(page)) compareTable(table, document.tables[table.name]);
  await page.click('summary');
  await page.check('label:has-text("weak") input');
  await page.settled();
  const weak = view.json('eager', 'scale', view.runs.eight.path, '--weak');
  await becomes(async () => assert.equal(await page.textContent('h1.answer'), weak.answer));
  await page.done();
});

test('numbers of a comparison lead to the run that they are of, and to what they count', async () => {
  const [before, after] = [view.runs.starved.id, view.runs.gpt.id];
  const page = await view.open(`#/${before}/overview`);
  for (const within of ['.changed', '[data-table=scopes] .body', '[data-table=quantities] .body', '[data-table=operations] .body']) {
    const hash = `#/${before}/diff?with=${after}`;
    const links = (await linksIn(page, hash, within)).map(([, link]) => link);
    assert.deepEqual([...new Set(links.map(link => link.split('/')[1]))].sort(), [before, after].sort(), within);
    for (const link of [...new Set(links)].slice(0, 6)) {
      await page.visit(link);
      await page.settled();
      const filter = ofLink(link)['ops.filter'];
      if (filter) assert.ok((await page.locator('[data-table=ops] .body [role=row]').count()) > 0, filter);
      assert.equal(await page.locator('main [role=alert], main .page > .empty').count(), 0, link);
    }
  }
  await page.done();
});

test('a link to a comparison with a run that is gone says so, and offers others', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/diff?with=000000000000`);
  await page.waitForSelector('.choose-run');
  assert.match(await page.textContent('main [role=alert]'), /other run of this link is not below/);
  await page.click('.choose-run button:has-text("starved/")');
  await page.settled();
  assert.equal(await page.locator('main [role=alert]').count(), 0);
  await page.visit(`#/${view.runs.gpt.id}/diff`);
  await page.waitForSelector('.choose-run');
  assert.equal(await page.locator('main [role=alert]').count(), 0);
  await page.done();
});
