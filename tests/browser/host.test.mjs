// Idle time, the critical path and the host.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, linksIn, ofLink, selectedSlice } from './links.mjs';
import { becomes, start } from './setup.mjs';
import { compareTable, readTables } from './tables.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('causes of idle time have the same names in the list and in the chart', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/idle`);
  await page.settled();
  const words = JSON.stringify(view.json('starved', 'idle').tables.idle.rows);
  const legend = await page.$$eval('.chart .u-legend .u-series .u-label', all => all.map(one => one.textContent.trim()));
  assert.ok(legend.length > 3, legend.join());
  const named = legend.slice(1).filter(name => !/^other/.test(name));
  for (const name of named) assert.ok(words.includes(`"${name}"`), `${name} in ${words}`);
  await page.done();
});

test('the flame graph is of the main thread also where another has its name', async () => {
  const page = await view.open(`#/${view.runs.pairs.id}/host`);
  await page.settled();
  const { host_threads: threads } = view.json('pairs', 'host').tables;
  assert.equal(threads.rows[0][at(threads, 'top')], 'toil');
  const flame = page.locator('.section:has(h2:has-text("Flame graph"))');
  assert.match(await flame.innerHTML(), /toil/);
  assert.doesNotMatch(await flame.innerHTML(), /rest/);
  await page.done();
});

for (const name of ['starved', 'eight'])
  test(`every cause of ${name} leads to the gaps that hold time of it, and these to that time`, async () => {
    const { idle } = view.json(name, 'idle').tables;
    const page = await view.open(`#/${view.runs[name].id}/overview`);
    for (const [cause, why] of idle.rows.map(row => [row[at(idle, 'cause')], row[at(idle, 'why')]])) {
      await page.visit(`#/${view.runs[name].id}/idle`);
      await page.settled();
      await page.click(`[aria-label="causes of idle time"] a[href$="cause=${cause}"]`);
      await page.settled();
      const said = view.json(name, 'idle', '--cause', cause);
      const { idle_gaps: gaps } = said.tables;
      const part = row => row[at(gaps, `by_${cause}`)];
      assert.ok(gaps.rows.length > 0, cause);
      assert.ok(gaps.rows.every((row, i) => part(row) > 0 && (i === 0 || part(row) <= part(gaps.rows[i - 1]))), cause);
      const shown = (await readTables(page)).find(table => table.name === 'idle_gaps');
      assert.ok(shown.columns.some(column => column.name === `by_${cause}`), cause);
      compareTable(shown, gaps);
      const sum = gaps.rows.reduce((time, row) => time + part(row), 0);
      const all = idle.rows.find(row => row[at(idle, 'cause')] === cause)[at(idle, 'idle')];
      const about = await page.locator('[data-table=idle_gaps] .about').count();
      assert.equal(about, sum < all ? 1 : 0, `${cause}: ${sum} of ${all}`);
      await page.locator('[data-table=idle_gaps] .body [role=row] a').first().click();
      const slice = await selectedSlice(view, page, name);
      assert.equal(slice.name, why);
      const [begin, duration] = ['begin', 'duration'].map(column => gaps.rows[0][at(gaps, column)]);
      assert.ok(slice.begin < begin + duration && slice.begin + slice.duration > begin, JSON.stringify(slice));
      await page.settled();
    }
    await page.done();
  });

test('a number of gaps leads to as many rows, or it is said of how many these are the longest', async () => {
  for (const name of ['gpt', 'eight', 'starved']) {
    const { gap_lengths: lengths } = view.json(name, 'idle').tables;
    const page = await view.open(`#/${view.runs[name].id}/overview`);
    const within = '[aria-label="gaps by length"]';
    const links = await linksIn(page, `#/${view.runs[name].id}/idle?cause=host_sync`, within); // of any cause
    assert.deepEqual(
      links.map(([text]) => text).filter(text => !text.startsWith('less')),
      lengths.rows.filter((row, i) => i > 0 && row[at(lengths, 'gaps')] > 0).map(row => row[at(lengths, 'length')]),
    );
    links.push(...(await linksIn(page, `#/${view.runs[name].id}/idle`, within)));
    assert.ok(links.length > 0);
    for (const [text, link] of links) {
      await page.visit(link);
      await page.settled();
      const row = lengths.rows.find(row => text.startsWith(row[at(lengths, 'length')]));
      const gaps = row[at(lengths, 'gaps')];
      const here = Number(await page.getAttribute('[data-table=idle_gaps] [role=grid]', 'aria-rowcount')) - 1;
      const counted = (await page.textContent('[data-table=idle_gaps] .tools .muted')).replaceAll('\u202f', '');
      if (here < gaps) assert.equal(counted, `${here} of ${gaps}`, `${name}: ${text}`);
      const about = page.locator('[data-table=idle_gaps] .about:has-text("longest of each device")');
      assert.equal(await about.count(), here === gaps ? 0 : 1, `${name}: ${text}`);
    }
    await page.done();
  }
});

test('what has no slice leads to what it means: times between kernels, and better overlap', async () => {
  for (const name of ['gpt', 'eight']) {
    const page = await view.open(`#/${view.runs[name].id}/path`);
    await page.settled();
    await page.click('[data-table=path_events] a:has-text("(between kernels)")');
    await page.settled();
    assert.equal(ofLink(page.url()).cause, 'kernel_gap');
    assert.ok((await page.locator('[data-table=idle_gaps] .body [role=row]').count()) > 0);
    await page.visit(`#/${view.runs[name].id}/path`);
    await page.settled();
    await page.click('[data-table=path_bounds] a:has-text("perfect device overlap")');
    await page.waitForSelector('[aria-label="where the time goes"]');
    await page.settled();
    await page.done();
  }
});

test('the flame graph speaks of files where it has some', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/host`);
  for (const [name, files] of [['starved', false], ['transfers', true]]) {
    await page.visit(`#/${view.runs[name].id}/host`);
    await page.settled();
    const hint = await page.textContent('section:has(h2:text("Flame graph")) .hint');
    assert.equal(/colours by file/.test(hint), files, `${name}: ${hint}`);
  }
  await page.done();
});

test('the host page of several hosts has each by its name, and the flame graph of the one in the link', async () => {
  const { input_pipeline: parts, host_threads: threads } = view.json('hosts', 'host').tables;
  const at = (table, name) => table.columns.findIndex(column => column.name === name);
  const hosts = [...new Set(threads.rows.map(row => row[at(threads, 'host')]))];
  assert.equal(hosts.length, 2);
  const page = await view.open(`#/${view.runs.hosts.id}/host`);
  const flames = [];
  page.on('request', request => request.url().includes('/flame?') && flames.push(request.url()));
  await page.settled();
  for (const host of hosts) {
    const list = page.locator(`.section:has(h2:has-text("A step of ${host}")) .bars li`);
    assert.equal(await list.count(), parts.rows.filter(row => row[at(parts, 'host')] === host).length);
  }
  const titles = async () => (await page.$$eval('main h2', all => all.map(one => one.textContent))).join('\n');
  assert.match(await titles(), new RegExp(`Flame graph of \\S+ of ${hosts[0]}`));
  // A part of a host's step leads to what it is made of.
  const { host_activities: activities } = view.json('hosts', 'host').tables;
  await page.click(`.section:has(h2:has-text("A step of ${hosts[1]}")) .bars a:has-text("dispatching")`);
  const behind = activities.rows.filter(
    row => row[at(activities, 'host')] === hosts[1] && row[at(activities, 'part')] === 'dispatch',
  );
  assert.ok(behind.length > 1);
  await becomes(async () => {
    const shown = (await readTables(page)).find(table => table.name === 'host_activities');
    assert.equal(shown.rows, behind.length);
  });
  await page.visit(`#/${view.runs.hosts.id}/host`);
  // A slice of the host of its row.
  const row = page.locator('[data-table=host_activities] .body [role=row]', { hasText: hosts[1] }).first();
  const { tree } = await (await view.fetch(`${view.origin}/api/runs/${view.runs.hosts.id}/tracks`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  await row.locator('a').first().click();
  await page.waitForSelector('.tl-details');
  const track = Number(new URLSearchParams(page.url().split('?')[1]).get('sel').split('.')[0]);
  assert.ok(leaves(tree.filter(node => node.key === hosts[1])).some(leaf => leaf.track === track));
  await page.settled();
  // A host alone.
  await page.visit(`#/${view.runs.hosts.id}/host`);
  await page.settled();
  await page.locator('[data-table=host_threads] .body [role=row] a', { hasText: hosts[1] }).first().click();
  await becomes(async () => assert.match(page.url(), new RegExp(`host=${hosts[1]}`)));
  await page.settled();
  await becomes(async () => assert.ok(!(await titles()).includes(hosts[0])));
  assert.ok(new Set(flames).size > 1, 'the flame graph is of the other host');
  await page.click('.stepbox button:has-text("×")');
  await becomes(async () => assert.ok((await titles()).includes(hosts[0])));
  await page.settled();
  await page.done();
});

test('the host page does not jump while it is made', async () => {
  const page = await view.open('#/');
  await page.context().addInitScript(() => {
    window.jumps = 0;
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) window.jumps += entry.hadRecentInput ? 0 : entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const name of ['starved', 'eight']) {
    await page.goto('about:blank');
    await page.visit(`#/${view.runs[name].id}/host`);
    await page.settled();
    await page.waitForSelector('[data-table=host_threads]');
    const jumps = await page.evaluate(() => window.jumps);
    assert.ok(jumps < 0.01, `${name}: ${jumps}`);
  }
  await page.done();
});

test('names that the host page has without what differs lead to such a slice', async () => {
  const page = await view.open(`#/${view.runs.eight.id}/host?host_activities.filter=${encodeURIComponent('name="Wait"')}`);
  await page.settled();
  await page.click('[data-table=host_activities] .body [role=row] a');
  await page.waitForSelector('.tl-details');
  assert.match(await page.textContent('.tl-details h2'), /^Wait: pending_threads/);
  await page.settled();
  await page.done();
});
