// The overview: its figures are those of the command, and lead to what they sum.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, keyOfSelected, ofLink, ps } from './links.mjs';
import { becomes, start } from './setup.mjs';
import { readTables } from './tables.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('the step time is the median, in the list and on the card', async () => {
  const document = view.json('eight', 'steps');
  const median = document.tables.step_times.columns.findIndex(column => column.name === 'median');
  const shown = `${(document.tables.step_times.rows[0][median] / 1e9).toFixed(1)} ms`;
  const page = await view.open(`#/${view.runs.eight.id}/overview`);
  await page.settled();
  const cards = await page.$$eval('.cards > div', all => all.map(card => [...card.children].map(part => part.textContent)));
  assert.equal(cards.find(([title]) => title === 'median step')[1], shown);
  const busy = cards.find(([title]) => title === 'device busy')[1];
  await page.visit('#/');
  const row = page.locator('.runs tbody tr', { hasText: 'eight/' });
  await row.locator('.spark').waitFor();
  await becomes(async () => assert.ok((await row.textContent()).includes(shown)));
  await becomes(async () => assert.ok((await row.textContent()).includes(busy)));
  await page.done();
});

test('a part of a step leads to what it sums, a finding to itself', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/overview`);
  await page.settled();
  const { where } = view.json('starved', 'overview').tables;
  const at = name => where.columns.findIndex(column => column.name === name);
  const holds = Object.fromEntries(where.rows.map(row => [row[at('part')], row[at('holds')]]));
  const rows = view.json('starved', 'ops').tables.ops;
  const category = rows.columns.findIndex(column => column.name === 'category');
  const other = rows.rows.filter(row => holds.other.includes(row[category])).length;
  assert.ok(other > 0);
  const rule = await page.getAttribute('.top-findings a', 'href');
  assert.match(rule, /doctor\?finding=\w+/);
  await page.click('.bars a:text-is("other")');
  await page.settled();
  await becomes(async () => assert.equal((await readTables(page)).find(table => table.name === 'ops').rows, other));
  await page.goBack();
  await page.settled();
  await page.click('.bars a:text-is("host busy with input")');
  await page.settled();
  await becomes(() => assert.match(page.url(), /idle\?cause=input$/));
  await page.visit(rule);
  await page.settled();
  await becomes(async () => assert.equal(await page.locator('.findings > li.asked').count(), 1));
  await page.done();
});

test('the rail counts the findings, and the doctor draws the step without them', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/doctor`);
  await page.settled();
  const document = view.json('starved', 'doctor', '--verbose');
  await page.waitForSelector('.rail .count');
  const found = String(document.tables.findings.rows.length);
  await becomes(async () => assert.equal(await page.textContent('.rail .count'), found));
  const titles = await page.$$eval('.fixes .bar-of-parts span', all => all.map(part => part.title.split(':')[0]));
  assert.deepEqual(titles, document.tables.fixes.rows.map(row => row[1]));
  const widths = await page.$$eval('.fixes .bar-of-parts span', all => all.map(part => Number.parseFloat(part.style.width)));
  assert.ok(Math.abs(widths.reduce((a, b) => a + b) - 100) < 0.01, String(widths));
  await page.done();
});

test('the balance is one bar, whose parts lead to what they are about', async () => {
  for (const verb of ['overview', 'doctor']) {
    const page = await view.open(`#/${view.runs.starved.id}/${verb}`);
    await page.settled();
    const { balance } = view.json('starved', verb).tables;
    await page.waitForSelector('.balance');
    const parts = await page.$$eval('.balance .bar-of-parts span', all =>
      all.map(part => [part.title.split(':')[0], Number.parseFloat(part.style.width)]),
    );
    assert.deepEqual(
      parts.map(([title]) => title),
      balance.rows.map(row => row[at(balance, 'about')]),
    );
    assert.ok(Math.abs(parts.reduce((sum, [, width]) => sum + width, 0) - 100) < 0.01, String(parts));
    await page.click('.balance a:text-is("idle")');
    await becomes(() => assert.match(page.url(), /\/idle$/));
    await page.done();
  }
});

test('top operations lead to the operation of their own program', async () => {
  const { top_operations: top } = view.json('same', 'overview').tables;
  const page = await view.open(`#/${view.runs.same.id}/overview`);
  await page.settled();
  const links = await page.$$eval('[aria-label="operations with the most time"] a', all => all.map(a => [a.textContent, a.getAttribute('href')]));
  assert.deepEqual(
    links.map(([, href]) => [ofLink(href).name, ofLink(href).of]),
    top.rows.map(row => [row[at(top, 'operation')], String(row[at(top, 'program_id')])]),
  );
  assert.equal(new Set(links.map(([text]) => text)).size, links.length);
  const [, last] = links.at(-1);
  await page.visit(last);
  await page.waitForSelector('dl.facts');
  const time = ps(await page.textContent('dl.facts dd'));
  assert.ok(Math.abs(time / top.rows.at(-1)[at(top, 'per_step')] - 1) < 0.01, String(time));
  await page.settled();
  await page.done();
});

test('devices of one name on several hosts are told apart', async () => {
  const page = await view.open(`#/${view.runs.twins.id}/overview`);
  await page.settled();
  await page.locator('[data-table=devices] .body [role=row] a').nth(1).click();
  const narrowed = view.json('twins', 'overview', '--device', 'GPU 0', '--host', 'host1').answer;
  await becomes(async () => assert.equal(await page.textContent('h1.answer'), narrowed));
  assert.deepEqual([ofLink(page.url()).device, ofLink(page.url()).host], ['GPU 0', 'host1']);
  await page.settled();
  const shown = async table =>
    page.$$eval(`[data-table=${table}] [data-column]`, heads => heads.map(head => head.dataset.column));
  for (const [hash, ...tables] of [
    ['idle', 'idle_gaps', 'launches', 'queue'],
    ['path', 'path_events'],
    ['memory', 'memory_programs'],
  ]) {
    await page.visit(`#/${view.runs.twins.id}/${hash}`);
    await page.settled();
    for (const table of tables) assert.ok((await shown(table)).includes('host'), table);
  }
  const tabs = await page.$$eval('[aria-label=allocator] button', all => all.map(button => button.textContent));
  assert.equal(new Set(tabs).size, tabs.length);
  await page.click('[aria-label=allocator] button:has-text("host1")');
  await becomes(async () => assert.match(await page.textContent('main'), /Buffers of jit_gemms of host1 at its peak/));
  await page.settled();
  const buffers = await page.$$eval('[data-table=memory_buffers] .body [role=row] [role=gridcell]:first-child', all =>
    all.map(cell => cell.textContent),
  );
  assert.equal(new Set(buffers).size, buffers.length);
  await page.visit(`#/${view.runs.launches.id}/idle`);
  await page.settled();
  for (const table of ['idle_gaps', 'launches', 'queue']) assert.ok(!(await shown(table)).includes('host'), table);
  // What lies on the path of a host is a slice of that host.
  await page.visit(`#/${view.runs.twins.id}/path?path_events.filter=host=host1`);
  await page.settled();
  await page.locator('[data-table=path_events] a[href*="sel="]').first().click();
  await page.waitForSelector('.tl-details');
  assert.ok((await keyOfSelected(view, page, 'twins')).startsWith('host1/'));
  await page.settled();
  await page.done();
});

test('the table of devices has all parts of the time', async () => {
  const page = await view.open(`#/${view.runs.pairs.id}/overview`);
  await page.settled();
  const parts = ['compute', 'exposed_communication', 'exposed_copies', 'unknown', 'idle'];
  const { devices } = view.json('pairs', 'overview').tables;
  const sum = row => parts.reduce((sofar, part) => sofar + row[at(devices, part)], 0);
  for (const row of devices.rows) assert.equal(sum(row), row[at(devices, 'window')]);
  const heads = await page.$$eval('[data-table=devices] [data-column]', all => all.map(head => head.dataset.column));
  for (const part of parts) assert.ok(heads.includes(part), part);
  await page.visit(`#/${view.runs.eight.id}/overview`);
  await page.settled();
  assert.equal(await page.locator('[data-table=devices] [data-column=unknown]').count(), 0);
  await page.done();
});

test('a click on a step goes to its place on the timeline', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/overview`);
  await page.settled();
  const box = await page.locator('.chart .u-over').first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 20);
  await page.waitForSelector('.tl-canvas');
  const document = view.json('gpt', 'steps');
  const devices = document.tables.step_devices;
  const begin = devices.rows[2][devices.columns.findIndex(column => column.name === 'begin')];
  await becomes(() => {
    const params = new URLSearchParams(page.url().split('?')[1]);
    assert.ok(Number(params.get('from')) < begin && Number(params.get('to')) > begin);
  });
  await page.settled();
  await page.done();
});

test('steps without device work have no chart, and no time is not busy', async () => {
  const page = await view.open(`#/${view.runs.apart.id}/overview`);
  await page.settled();
  assert.match(await page.textContent('main'), /Steps are annotated, but no device work belongs to one/);
  assert.equal(await page.locator('.keep-steps, .chart .u-over').count(), 0);
  assert.ok(!/a click goes to the step/.test(await page.textContent('main')));
  await page.visit(`#/${view.runs.instant.id}/overview`);
  await page.settled();
  assert.match(await page.textContent('.cards'), /device busy\s*–/);
  await page.done();
});

// Each answer comes later than the one before it, the doctor's last of all.
for (const width of [1440, 800])
  test(`the overview does not jump while it is made, ${width} pixels wide`, async () => {
    const page = await view.open('#/', { viewport: { width, height: 900 } });
    await page.context().addInitScript(() => {
      window.jumps = [];
      new PerformanceObserver(list => {
        for (const { sources } of list.getEntries())
          for (const { node, previousRect: was, currentRect: is } of sources)
            if (node?.closest?.('main')) window.jumps.push([node.className || node.nodeName, was.y, is.y]);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const order = ['overview', 'info', 'steps', 'roofline', 'idle', 'doctor'];
    await page.route(/\/api\/runs\/[^/]+\/\w+/, async route => {
      const verb = /runs\/[^/]+\/(\w+)/.exec(route.request().url())[1];
      await new Promise(done => setTimeout(done, 150 * (order.indexOf(verb) + 1)));
      await route.continue();
    });
    for (const name of ['gpt', 'eight', 'starved']) {
      await page.goto('about:blank');
      await page.visit(`#/${view.runs[name].id}/overview`);
      await page.waitForSelector('.top-findings :is(ol, a)');
      await page.waitForSelector('.facts');
      await page.settled();
      assert.deepEqual(await page.evaluate(() => window.jumps), [], name);
    }
    await page.done();
  });

test('steps that are not there are told with a link to those that are', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/overview?steps=99`);
  await page.waitForSelector('main [role=alert]');
  const text = await page.textContent('main [role=alert]');
  assert.ok(!/below/.test(text), text);
  await page.click('main [role=alert] a');
  await page.waitForSelector('.chart');
  await page.settled();
  await page.close(); // the browser itself writes of the answer 400
});

test('a step of the overview is chosen with keys alone', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/overview`);
  await page.settled();
  const chart = page.locator('.chart[role=slider]').first();
  await page.keyboard.press('Tab'); // keys are in use: what is focused is shown
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await becomes(async () => assert.match(await chart.getAttribute('aria-valuetext'), /^step 2: compute .* ms/));
  assert.match(await chart.locator('.u-legend').textContent(), /step 2/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.tl-details:has-text("train 2")');
  // Steps have their numbers in their names: the next one is the next step.
  await page.keyboard.press(']');
  await page.waitForSelector('.tl-details:has-text("train 3")');
  await page.settled();
  await page.done();
});
