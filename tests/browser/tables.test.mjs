// Tables: sort, filter, columns, keys, copy and download; all of it in the link.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { becomes, start } from './setup.mjs';

let view;
let page;
before(async () => {
  view = await start();
});
after(() => view.stop());

const column = (table, name) => table.columns.findIndex(entry => entry.name === name);
const first = () => page.textContent('[data-table=ops] .body [role=row]');

test('sort by a click, again turned round, and a third time as it came', async () => {
  page = await view.open(`#/${view.runs.gpt.id}/ops`);
  await page.settled();
  const came = await first();
  const { ops } = view.json('gpt', 'ops').tables;
  const byRuns = [...ops.rows].sort((a, b) => b[column(ops, 'executions')] - a[column(ops, 'executions')]);
  const head = page.locator('[data-table=ops] [data-column=executions] button');
  await head.click();
  await becomes(async () => assert.ok((await first()).startsWith(byRuns[0][0])));
  await becomes(() => assert.match(page.url(), /ops\.sort=-executions/));
  await head.click();
  await becomes(() => assert.match(page.url(), /ops\.sort=executions/));
  await head.click();
  await becomes(async () => assert.equal(await first(), came));
  page.fine();
});

test('filter by words and by columns', async () => {
  const box = page.locator('[data-table=ops] input[type=search]');
  await box.fill('category=softmax share>0.5');
  const { ops } = view.json('gpt', 'ops').tables;
  const wanted = ops.rows.filter(
    row => row[column(ops, 'category')] === 'softmax' && row[column(ops, 'share')] > 0.5,
  );
  assert.ok(wanted.length > 0);
  const shown = () => page.getAttribute('[data-table=ops] [role=grid]', 'aria-rowcount');
  await becomes(async () => assert.equal(await shown(), String(wanted.length + 1)));
  page.fine();
});

test('choose columns; the link restores everything', async () => {
  await page.click('[data-table=ops] .choose summary');
  await page.click('[data-table=ops] .choose label:has-text("flops per second") >> nth=0');
  await page.click('[data-table=ops] .choose label:has-text("events")');
  const columns = shown => shown.$$eval('[data-table=ops] [data-column]', all => all.map(head => head.dataset.column));
  await becomes(async () => assert.ok((await columns(page)).includes('events')));
  const heads = await columns(page);
  const before = await first();
  const again = await view.open(await page.evaluate(() => location.hash));
  await again.settled();
  assert.equal(await again.textContent('[data-table=ops] .body [role=row]'), before);
  assert.deepEqual(await columns(again), heads);
  await again.done();
});

test('copy gives TSV, downloads give CSV and JSON of the rows shown', async () => {
  const rows = Number(await page.getAttribute('[data-table=ops] [role=grid]', 'aria-rowcount'));
  await page.click('[data-table=ops] button:has-text("copy")');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.trimEnd().split('\n').length, rows);
  assert.ok(copied.startsWith('name\t'));
  const [csv] = await Promise.all([page.waitForEvent('download'), page.click('[data-table=ops] button:has-text("CSV")')]);
  const text = readFileSync(await csv.path(), 'utf8');
  assert.ok(text.startsWith('name,path,depth,scope,program,from,program_id,pass,per_step [ps],'));
  assert.equal(text.trimEnd().split('\n').length, rows);
  const [json] = await Promise.all([
    page.waitForEvent('download'),
    page.click('[data-table=ops] button:has-text("JSON")'),
  ]);
  assert.equal(JSON.parse(readFileSync(await json.path(), 'utf8')).ops.rows.length, rows - 1);
  page.fine();
});

test('copy works where a browser has no clipboard for pages, and says where it does not', async () => {
  const copy = page.locator('[data-table=ops] .tools button').filter({ hasText: /cop/ });
  const give = clipboard =>
    page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: ${clipboard}, configurable: true })`);
  const giveBack = () => page.evaluate(() => delete navigator.clipboard);
  await becomes(async () => assert.equal(await copy.textContent(), 'copy'));
  // What the button says, it says for a moment only.
  await copy.evaluate(button => {
    window.said = [];
    const listen = new MutationObserver(() => window.said.push(button.textContent));
    listen.observe(button, { childList: true, characterData: true, subtree: true });
  });
  const says = words => becomes(async () => assert.match((await page.evaluate(() => window.said)).at(-1) ?? '', words));
  const said = words => becomes(async () => assert.match((await page.evaluate(() => window.said)).join('; '), words));
  await page.evaluate(() => navigator.clipboard.writeText('before'));
  await give('undefined');
  await copy.click();
  await said(/copied/);
  await giveBack();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^name\t/);
  await says(/^copy$/);
  await give("{ writeText: () => Promise.reject(new Error('no')) }");
  await copy.click();
  await said(/does not let/);
  await giveBack();
  page.fine();
});

test('keys move through a table and open a row', async () => {
  await page.locator('[data-table=ops] [role=grid]').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  const active = () => page.getAttribute('[data-table=ops] [role=grid]', 'aria-activedescendant');
  await becomes(async () => assert.equal(await active(), 'ops-1'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('/op?'));
  await page.settled();
  await page.done();
});

test('the theme follows the system and can be chosen', async () => {
  const dark = await view.open(`#/${view.runs.gpt.id}/overview`, { colorScheme: 'dark' });
  await dark.settled();
  const ground = () => dark.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), 'rgb(20, 23, 28)');
  await dark.click('[aria-label^="theme"]');
  await becomes(async () => assert.equal(await ground(), 'rgb(255, 255, 255)'));
  await dark.done();
});

test('help lists the keys and Escape closes it', async () => {
  const help = await view.open(`#/${view.runs.gpt.id}/overview`);
  await help.settled();
  await help.keyboard.press('?');
  await becomes(async () => assert.ok(await help.isVisible('dialog.help')));
  const wide = await help.$$eval('.help dt', all =>
    all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent),
  );
  assert.deepEqual(wide, []); // none is printed over its text
  await help.keyboard.press('Escape');
  await becomes(async () => assert.ok(!(await help.isVisible('dialog.help'))));
  await help.done();
});
