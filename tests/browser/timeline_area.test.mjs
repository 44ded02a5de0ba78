// An area of the timeline: what it sums, and where its rows lead.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { becomes } from './setup.mjs';
import { compareTable, readTables } from './tables.mjs';
import { canvasBox, drawn, length, link, open, openAt, page, placeOn, step2, view, windowNow } from './timeline.mjs';

test('a drag marks an area and sums it up', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin}&to=${begin + time}`);
  const a = await placeOn('Stream', 0.25);
  const box = await canvasBox();
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(a.x + box.width / 4, a.y + 4, { steps: 4 });
  await page.mouse.move(a.x + box.width / 2, a.y + 4, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('.tl-area [data-table=area] .body [role=row]');
  await page.settled(); // the table may be that of where the drag was before
  const text = await page.textContent('.tl-area');
  assert.ok(text.includes('compute'), text);
  const [from, to] = (await link('area')).split('@')[0].split('-').map(Number);
  assert.ok(Math.abs(to - from - time / 2) < time * 0.01);
  const asked = (await link('area')).split('@');
  const document = await (
    await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/area?from=${from}&to=${to}&tracks=${asked[1] ?? ''}`)
  ).json();
  const table = (await readTables(page)).find(one => one.name === 'area');
  for (const name of ['count', 'total', 'self', 'mean', 'p50', 'p99'])
    assert.ok(table.columns.some(column => column.name === name), name);
  compareTable(table, document.tables.area);
  const [bar, rows] = await Promise.all(
    ['.tl-area .bars .track', '.tl-area .table'].map(one => page.locator(one).first().boundingBox()),
  );
  assert.ok(bar.x + bar.width + 10 < rows.x, 'the bars end before the table');
  await page.keyboard.press('Escape');
  await page.settled();
  page.fine();
});

test('Alt and drag zoom into the box, so does a drag on the axis; 0 shows everything', async () => {
  const box = await canvasBox();
  const before = await windowNow();
  await page.keyboard.down('Alt');
  await page.mouse.move(box.x + 400, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  const part = async () => length(await windowNow()) / length(before);
  await becomes(async () => assert.ok(Math.abs((await part()) - 200 / box.width) < 0.02));
  const zoomed = await windowNow();
  const axis = await page.locator('.tl-axis').boundingBox();
  await page.mouse.move(axis.x + 100, axis.y + 10);
  await page.mouse.down();
  await page.mouse.move(axis.x + 300, axis.y + 10, { steps: 5 });
  await page.mouse.up();
  await becomes(async () => assert.ok(length(await windowNow()) < length(zoomed) * 0.5));
  await page.keyboard.press('0');
  await becomes(async () => assert.equal(await link('from'), null));
  await drawn();
  page.fine();
});

test('an area leaves out the tracks that are made of others', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin}&to=${begin + time}`);
  const [a, b] = [await placeOn('scopes', 0.3), await placeOn('Stream', 0.6)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('.tl-area [data-table=area] .body [role=row]');
  const { tree } = await (await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/tracks?derived=1`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  const derived = new Set(leaves(tree).filter(leaf => leaf.derived).map(leaf => leaf.track));
  const chosen = (await link('area')).split('@')[1].split('.').map(Number);
  assert.ok(chosen.length > 0 && chosen.every(track => !derived.has(track)), chosen.join());
  // M sums up the device of the selected slice, of which the host is no part.
  await page.keyboard.press('Escape');
  const slice = await placeOn('Stream', 0.5);
  await page.mouse.click(slice.x, slice.y);
  await page.waitForSelector('.tl-details');
  await page.keyboard.press('m');
  await becomes(async () => assert.ok(await link('area')));
  const device = leaves(tree.flatMap(host => host.children).filter(node => node.title.includes('GPU')));
  const marked = (await link('area')).split('@')[1].split('.').map(Number);
  assert.ok(marked.every(track => device.some(leaf => leaf.track === track && !leaf.derived)), marked.join());
  await page.settled();
  page.fine();
});

test('an area over a counter is one of its device', async () => {
  await openAt('transfers');
  const a = await placeOn('copies host to device', 0.3);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(a.x + 200, a.y + 5, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('.tl-area [data-table=area] .body [role=row]');
  await page.settled();
  const on = await page.$$eval('.tl-area [data-table=area] .body [role=row]', rows => rows.map(row => row.textContent));
  assert.ok((await link('area')).includes('@'), await link('area'));
  assert.ok(on.every(text => /device/.test(text)), on.join('\n'));
  page.fine();
});

test('an area of host threads has the whole width, as no device has a part in it', async () => {
  const wide = async () => {
    await page.waitForSelector('.tl-area [data-table=area] .body [role=row]');
    await page.settled();
    const [table, panel] = await Promise.all(
      ['.tl-area [data-table=area]', '.tl-area .content'].map(within => page.locator(within).boundingBox()),
    );
    return table.width / panel.width;
  };
  await openAt('gpt');
  const { tree } = await (await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/tracks?derived=1`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  const of = type => leaves(tree).filter(leaf => leaf.type === type).sort((a, b) => b.events - a.events)[0].track;
  const { begin, time } = await step2();
  await openAt('gpt', `?area=${begin}-${begin + time}@${of('thread')}`);
  assert.equal(await wide(), 1);
  assert.equal(await page.locator('.tl-area .partition').count(), 0);
  await openAt('gpt', `?area=${begin}-${begin + time}@${of('stream')}`);
  assert.ok((await wide()) < 0.8);
  assert.equal(await page.locator('.tl-area .partition').count(), 1);
  page.fine();
});

test('a row of an area leads to its slices, names or operations, and to no others', async () => {
  const { begin, time } = await step2();
  const area = `?area=${begin}-${begin + time}`;
  // Of all rows shown.
  const slices = async () => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-table=area] :text-is("JSON")')]);
    const { columns, rows } = JSON.parse(readFileSync(await file.path(), 'utf8')).area;
    return rows.reduce((sum, row) => sum + row[columns.findIndex(column => column.name === 'count')], 0);
  };
  const open = text => page.locator('[data-table=area] .body [role=row]', { hasText: text }).first().click();
  for (const [by, next, row] of [
    ['category', null, 'matmul'],
    ['scope', 'operation', 'jvp/layer_1/attention'],
  ]) {
    await openAt('gpt', `${area}&areaby=${by}&area.filter=${encodeURIComponent(`name:"/${row}/"`)}`);
    const count = await slices();
    await open(row);
    await becomes(async () => assert.equal(await link('areaby'), next));
    await page.settled();
    assert.equal(await slices(), count, await link('area.filter'));
    assert.equal(await link('q'), null);
  }
  await openAt('gpt', `${area}&areaby=operation&area.filter=${encodeURIComponent('name=loop_convert_fusion')}`);
  await open('loop_convert_fusion');
  await becomes(async () => assert.equal(await link('q'), '"loop_convert_fusion"'));
  await page.settled();
  page.fine();
});
