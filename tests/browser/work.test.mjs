// Memory, collectives, copies and compilations.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, keyOfSelected, linksIn, ofLink, ps, selectedSlice } from './links.mjs';
import { becomes, start } from './setup.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('memory profiles as a flame graph, and as a difference', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/memory`);
  const graph = page.getByRole('group', { name: 'live arrays by Python stack' });
  await graph.waitFor();
  await page.getByRole('button', { name: 'difference of the last to the first' }).click();
  const changes = page.getByRole('group', { name: 'change of live arrays by Python stack' });
  await changes.waitFor();
  // From 336 KiB to 1.14 MiB: what was kept grew, and only that is in the colour of growth.
  const cells = await changes.locator('button').evaluateAll(all =>
    all.map(cell => [cell.title.replace('\n', ': '), cell.style.getPropertyValue('--fill')]),
  );
  assert.match(cells[0][0], /^first to last profile: \+832 KiB \(336 KiB → 1.14 MiB\)$/);
  const kept = cells.find(([title]) => title.startsWith('keep '));
  assert.match(kept[0], /\+768 KiB \(256 KiB → 1.00 MiB\)/);
  assert.equal(kept[1], 'var(--grown)');
  assert.ok(cells.some(([title, fill]) => /±0/.test(title) && fill === 'var(--idle)'));
  await page.reload();
  await changes.waitFor();
  await page.done();
});

test('the matrix of collectives tells those of one name apart', async () => {
  const { collective_matrix: cells } = view.json('same', 'collectives').tables;
  const page = await view.open(`#/${view.runs.same.id}/collectives`);
  await page.settled();
  const heads = await page.$$eval('table.matrix thead a', links =>
    links.map(link => ({ name: link.textContent, href: link.getAttribute('href'), head: link.parentElement.innerText })),
  );
  const programs = [...new Set(cells.rows.map(row => row[at(cells, 'program_id')]))];
  assert.equal(programs.length, 3);
  assert.deepEqual(
    heads.map(({ href }) => [ofLink(href).name, ofLink(href).of]),
    programs.map(program => ['psum_invariant.7', String(program)]),
  );
  for (const [i, program] of programs.entries()) assert.match(heads[i].head, new RegExp(`jit_\\w+\\(${program}\\)`));
  const unit = await page.textContent('table.matrix thead th');
  const shown = await page.$$eval('table.matrix tbody tr', rows => rows.map(row => [...row.cells].map(cell => cell.textContent)));
  for (const [device, ...numbers] of shown) {
    const waits = programs.map(program => {
      const row = cells.rows.find(
        row => `${row[at(cells, 'host')]} ${row[at(cells, 'device')]}` === device && row[at(cells, 'program_id')] === program,
      );
      return row[at(cells, 'wait_per_step')];
    });
    for (const [i, wait] of waits.entries())
      assert.ok(Math.abs(ps(`${numbers[i]} ${unit}`) - wait) <= 0.01e9, `${device}: ${numbers[i]} ${unit} for ${wait} ps`);
  }
  await page.done();
});

test('a place that copies leads to one of its copies', async () => {
  const { transfer_sites: sites } = view.json('transfers', 'transfers').tables;
  const page = await view.open(`#/${view.runs.transfers.id}/overview`);
  const outside = sites.rows.filter(row => row[at(sites, 'instruction')] === null);
  assert.ok(outside.length >= 3);
  for (const row of outside) {
    const [place, kind, size, rate] = ['place', 'kind', 'size', 'rate'].map(column => row[at(sites, column)]);
    await page.visit(`#/${view.runs.transfers.id}/transfers`);
    await page.settled();
    await page.locator('[data-table=transfer_sites] .body [role=row] a').nth(sites.rows.indexOf(row)).click();
    const slice = await selectedSlice(view, page, 'transfers');
    assert.match(slice.name, { 'host to device': /H2D/, 'device to host': /D2H/, 'on the device': /D2D/ }[kind], place);
    assert.ok(slice.duration > (0.5 * size) / rate / 1e-12, `${place}: ${slice.duration} ps for ${size} bytes`);
    await page.settled();
  }
  await page.done();
});

test('a compilation leads to its call on the thread, which is unfolded', async () => {
  const { compiles } = view.json('recompile', 'compile').tables;
  const page = await view.open(`#/${view.runs.recompile.id}/compile`);
  for (const [nth, column] of [[0, 'function'], [1, 'begin'], [2, 'time']]) {
    await page.visit(`#/${view.runs.recompile.id}/compile`);
    await page.settled();
    const heads = await page.$$eval('[data-table=compiles] [data-column]', all => all.map(head => head.dataset.column));
    const row = page.locator('[data-table=compiles] .body [role=row]').nth(nth);
    await row.locator('[role=gridcell]').nth(heads.indexOf(column)).locator('a').click();
    const slice = await selectedSlice(view, page, 'recompile');
    const [name, begin] = ['function', 'begin'].map(wanted => compiles.rows[nth][at(compiles, wanted)]);
    assert.ok(slice.name.includes(name), `${slice.name}: ${name}`);
    assert.equal(slice.begin, begin);
    const { from, to } = ofLink(page.url());
    assert.ok(from <= begin && begin + slice.duration <= to && slice.duration > (to - from) / 2, page.url());
    const fold = page.locator(`.tl-title[data-key="${await keyOfSelected(view, page, 'recompile')}"] .fold`);
    assert.equal(await fold.getAttribute('aria-expanded'), 'true');
    await page.settled();
  }
  await page.done();
});

test('a function leads to its compilations, as many as it counts', async () => {
  const { compile_functions: functions } = view.json('recompile', 'compile').tables;
  const page = await view.open(`#/${view.runs.recompile.id}/compile`);
  for (const row of functions.rows) {
    await page.visit(`#/${view.runs.recompile.id}/compile`);
    await page.settled();
    await page.click(`[data-table=compile_functions] .body a:text-is("${row[at(functions, 'function')]}")`);
    await page.settled();
    const shown = await page.locator('[data-table=compiles] .body [role=row]').count();
    assert.equal(shown, row[at(functions, 'compiles')]);
  }
  await page.visit(`#/${view.runs.recompile.id}/compile`);
  await page.settled();
  await page.locator('[data-table=compile_functions] .body [role=gridcell]').nth(4).click(); // the row opens too
  await becomes(() => assert.match(page.url(), /compiles\.filter/));
  await page.done();
});

test('what was live at the peak leads to that moment', async () => {
  const { memory } = view.json('gpt', 'memory').tables;
  const page = await view.open(`#/${view.runs.gpt.id}/memory`);
  await page.settled();
  await page.locator('[data-table=memory_live] .body [role=row] a').nth(1).click();
  await page.settled();
  const { from, to } = ofLink(page.url());
  const peak = memory.rows[0][at(memory, 'peak_time')];
  assert.ok(Number(from) < peak && peak < Number(to), page.url());
  const [begin, end] = ofLink(page.url()).area.split('-').map(Number); // marked
  assert.ok(begin <= peak && peak < end && end - begin < (to - from) / 20, page.url());
  await page.waitForSelector('.tl-area');
  await page.done();
});

test('a wait in the matrix leads to that collective on that device, a thread to its track', async () => {
  const { collective_matrix: matrix } = view.json('eight', 'collectives').tables;
  const page = await view.open(`#/${view.runs.eight.id}/collectives`);
  await page.settled();
  await page.locator('.matrix tbody tr:nth-child(6) td:nth-of-type(2) a').click();
  await page.waitForSelector('.tl-details');
  assert.match(await keyOfSelected(view, page, 'eight'), /^vm\/CPU 5\//);
  const second = [...new Set(matrix.rows.map(row => row[at(matrix, 'collective')]))][1];
  assert.ok((await page.textContent('.tl-details')).includes(second));
  await page.settled();
  const [[thread, link]] = await linksIn(page, `#/${view.runs.starved.id}/host`, '[data-table=host_threads] .body');
  await page.visit(link);
  await page.settled();
  const titles = await page.$$eval('.tl-title:not(.group) .own', all => all.map(one => one.textContent));
  assert.deepEqual([...new Set(titles)], [thread]);
  await page.done();
});
