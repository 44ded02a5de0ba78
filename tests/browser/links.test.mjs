// Numbers of any page lead to the rows and slices that they count.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, keyOfSelected, linksIn, ofLink } from './links.mjs';
import { becomes, start } from './setup.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('a page about a device and some steps leads to slices of that device in those steps', async () => {
  const { ops } = view.json('eight', 'ops', '--device', 'CPU 3').tables;
  const [name, program] = ['name', 'program_id'].map(column => ops.rows[0][at(ops, column)]);
  const page = await view.open(`#/${view.runs.eight.id}/op?name=${name}&of=${program}&device=CPU+3`);
  await page.click('a:has-text("on the timeline")');
  await page.waitForSelector('.tl-details');
  assert.match(await keyOfSelected(view, page, 'eight'), /^vm\/CPU 3\//);
  await page.settled();

  const { step_devices: steps } = view.json('gpt', 'steps', '--steps', '3').tables;
  await page.visit(`#/${view.runs.gpt.id}/kernels?steps=3`);
  await page.settled();
  await page.locator('[data-table=kernels] .body [role=row] a').first().click();
  await page.waitForSelector('.tl-details');
  await keyOfSelected(view, page, 'gpt');
  const [track, event] = ofLink(page.url()).sel.split('.');
  const slice = await (await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/event?track=${track}&event=${event}`)).json();
  const [begin, length] = ['begin', 'step_time'].map(column => steps.rows[0][at(steps, column)]);
  assert.ok(slice.begin >= begin && slice.begin < begin + length, `${slice.begin} in ${begin} + ${length}`);
  await page.settled();
  await page.done();
});

test('what a program does that the capture does not have leads to its slices', async () => {
  const page = await view.open(`#/${view.runs.recompile.id}/transfers`);
  await page.settled();
  await page.click('[data-table=memset_sites] a:has-text("gemm_fusion_dot_general.1/custom-call.1")');
  await page.waitForSelector('.tl-canvas');
  await page.settled();
  await becomes(async () => assert.match(await page.textContent('main'), /Memset/));
  assert.match(page.url(), /sel=\d/);
  await page.done();
});

// Rows that sum others, with the table that has those, and how many they are.
for (const [name, from, within, table, least = 1] of [
  ['recompile', 'compile', '[data-table=compile_functions] .body', 'compiles'],
  ['recompile', 'compile', '[aria-label="phases of compilation"]', 'compiles', 16],
  ['starved', 'host', '[aria-label^="parts of the step"]', 'host_activities', 6],
  ['gpt', 'roofline', '[data-table=programs] .body', 'ops'],
  ['starved', 'path', '[data-table=path_bounds] .body [role=row]:not(:last-child)', 'path_events'],
  ['gpt', 'kernels', '[aria-label="time in kernels of a length"]', 'kernels'],
  ['starved', 'idle', '[aria-label="gaps by length"]', 'idle_gaps'],
  ['gpt', 'memory', '[data-table=memory_live] .body [role=row]:first-child [role=gridcell]:first-child', 'memory_programs'],
]) {
  test(`${within} of ${from} leads to the rows behind it`, async () => {
    const page = await view.open(`#/${view.runs[name].id}/overview`);
    const links = await linksIn(page, `#/${view.runs[name].id}/${from}`, within);
    assert.ok(links.length >= least, `${links.length} links`);
    for (const [text, link] of links) {
      await page.visit(link);
      await page.settled();
      assert.ok(ofLink(link)[`${table}.filter`], link);
      assert.ok((await page.locator(`[data-table=${table}] .body [role=row]`).count()) > 0, `${text}: ${link}`);
    }
    await page.done();
  });
}
