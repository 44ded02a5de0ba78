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

test('the roofline says what is not on the chart', async () => {
  const { columns, rows } = view.json('gpt', 'roofline').tables.roofline;
  const of = (row, column) => row[columns.findIndex(one => one.name === column)];
  const without = rows.filter(row => !(of(row, 'intensity') > 0 && of(row, 'flops_per_second') > 0));
  const page = await view.open(`#/${view.runs.gpt.id}/roofline`);
  await page.settled();
  const hint = await page.textContent('.section .hint');
  assert.match(hint, new RegExp(`^${without.length} operations with .* % of the device time, .* in the table only`));
  await page.done();
});

test('a move over the roofline draws no dot again', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/roofline`);
  await page.settled();
  await page.waitForSelector('.scatter canvas');
  await page.evaluate(() => {
    const { arc } = CanvasRenderingContext2D.prototype;
    window.arcs = 0;
    CanvasRenderingContext2D.prototype.arc = function (...all) {
      ++window.arcs;
      arc.apply(this, all);
    };
  });
  const box = await page.locator('.scatter canvas').boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.8);
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.2, { steps: 20 });
  assert.equal(await page.evaluate(() => window.arcs), 0);
  await page.done();
});

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

test('a part of a step leads to what it sums, a finding to itself', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/overview`);
  await page.settled();
  const { where } = view.json('starved', 'overview').tables;
  const holds = Object.fromEntries(where.rows.map(row => [row[0], row.at(-1)]));
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

test('the rail counts the findings, and the doctor draws the step without them', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/doctor`);
  await page.settled();
  const document = view.json('starved', 'doctor', '--verbose');
  await page.waitForSelector('.rail .count');
  const found = String(document.tables.findings.rows.length);
  await becomes(async () => assert.equal(await page.textContent('.rail .count'), found));
  const titles = await page.$$eval('.bar-of-parts span', all => all.map(part => part.title.split(':')[0]));
  assert.deepEqual(titles, document.tables.fixes.rows.map(row => row[1]));
  const widths = await page.$$eval('.bar-of-parts span', all => all.map(part => Number.parseFloat(part.style.width)));
  assert.ok(Math.abs(widths.reduce((a, b) => a + b) - 100) < 0.01, String(widths));
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

test('an operation has its cost, executions, kernels, neighbours and source', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/ops`);
  await page.settled();
  await page.click('[data-table=ops] .body [role=row] a');
  await page.settled();
  await page.waitForSelector('.histogram rect');
  const text = await page.textContent('main');
  for (const word of ['Cost', 'executions', 'Kernels', 'operands', 'users', 'train.py', 'HLO'])
    assert.ok(text.includes(word), word);
  await page.done();
});

// "4.35 µs" in ps.
const ps = text => {
  const [, number, unit] = /([\d.]+) (ns|µs|ms|s)\b/.exec(text);
  return Number(number) * { ns: 1e3, µs: 1e6, ms: 1e9, s: 1e12 }[unit];
};

test('operations of one name in several programs have a page each, of their own numbers', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/op?name=custom-call.4`);
  const look = async () => {
    await page.waitForSelector('.histogram rect');
    await page.settled();
    const facts = await page.$$eval('dl.facts dt', names => names.map(dt => [dt.textContent, dt.nextSibling.textContent]));
    const executions = await page.textContent('.keep-histogram p');
    const [, from, to] = /from (.*) to (.*?)\./.exec(executions.replaceAll(/(\d)\.(\d)/g, '$1,$2')).map(part => part.replace(',', '.'));
    return { ...Object.fromEntries(facts), times: [ps(from), ps(to)], count: executions.split(' ')[0] };
  };
  // All kernels of an execution count, and the same executions everywhere.
  const check = shown => {
    const each = ps(/, (.*) each/.exec(shown.executions)[1]);
    assert.equal(shown.executions.split(' ')[0], shown.count);
    assert.ok(each >= 0.99 * shown.times[0] && each <= 1.01 * shown.times[1], `${each} of ${shown.times}`);
    assert.ok(ps(shown['beyond the ideal'] ?? '0.0 ns') <= ps(shown['a step']));
  };
  check(await look());

  const name = 'gemm_fusion_dot_general.1';
  await page.visit(`#/${view.runs.recompile.id}/roofline?roofline.filter="${name}"`);
  await page.settled();
  const links = await page.$$eval('[data-table=roofline] .body [role=row] a', all => all.map(a => a.getAttribute('href')));
  const { columns, rows } = view.json('recompile', 'roofline').tables.roofline;
  const of = column => columns.findIndex(one => one.name === column);
  const own = rows.filter(row => row[of('name')] === name);
  assert.ok(own.length > 2);
  assert.deepEqual(
    links.map(link => new URLSearchParams(link.split('?')[1]).get('of')).sort(),
    own.map(row => String(row[of('program_id')] ?? 'none')).sort(),
  );
  const different = new Set();
  for (const link of links) {
    await page.visit(link);
    const shown = await look();
    check(shown);
    different.add(shown['beyond the ideal']);
    const all = await page.getAttribute('.keep-histogram p a:last-child', 'href');
    const program = new URLSearchParams(link.split('?')[1]).get('of');
    const q = new URLSearchParams(all.split('?')[1]).get('q');
    assert.equal(q, program === 'none' ? '/^gemm_fusion_dot_general\\.1$/' : `"${program}/${name}"`);
  }
  assert.ok(different.size > 1);
  await page.done();
});

const at = (table, name) => table.columns.findIndex(column => column.name === name);
const ofLink = link => Object.fromEntries(new URLSearchParams(link.split('?')[1]));

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

test('programs of one name lead to their own operations, and those that did not run to none', async () => {
  const { ops } = view.json('same', 'ops').tables;
  const own = id => ops.rows.filter(row => row[at(ops, 'program_id')] === id).length;
  const page = await view.open(`#/${view.runs.same.id}/ops?by=program`);
  const programsOf = async table => {
    await page.settled();
    return page.$$eval(`[data-table=${table}] .body [role=row]`, rows =>
      rows.map(row => [row.querySelector('[role=gridcell]').textContent, row.querySelector('a')?.getAttribute('href')]),
    );
  };
  const inOps = await programsOf('ops');
  assert.deepEqual(inOps.map(([name]) => name).sort(), ['jit_large(16)', 'jit_small(14)', 'jit_small(18)']);
  await page.visit(`#/${view.runs.same.id}/memory`);
  const inMemory = await programsOf('memory_programs');
  assert.equal(new Set(inMemory.map(([name]) => name)).size, inMemory.length);
  const linked = inMemory.filter(([, link]) => link);
  assert.deepEqual(linked.map(([name]) => name).sort(), ['jit_large', 'jit_small(14)', 'jit_small(18)']);
  for (const [name, link] of [...inOps, ...linked]) {
    await page.visit(link);
    await page.settled();
    const id = Number(/\d+/.exec(name)?.[0] ?? 16);
    assert.equal(await page.locator('[data-table=ops] .body [role=row]').count(), own(id), `${name}: ${link}`);
  }
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
  assert.ok((await keyOfSelected(page, 'twins')).startsWith('host1/'));
  await page.settled();
  await page.done();
});

// The key of the track that the link of the page selects.
async function keyOfSelected(page, name) {
  const { tree } = await (await view.fetch(`${view.origin}/api/runs/${view.runs[name].id}/tracks?derived=1`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  return becomes(() => {
    const [track, event] = ofLink(page.url()).sel.split('.').map(Number);
    assert.ok(event >= 0);
    return leaves(tree).find(leaf => leaf.track === track).key;
  });
}

test('a page about a device and some steps leads to slices of that device in those steps', async () => {
  const { ops } = view.json('eight', 'ops', '--device', 'CPU 3').tables;
  const [name, program] = ['name', 'program_id'].map(column => ops.rows[0][at(ops, column)]);
  const page = await view.open(`#/${view.runs.eight.id}/op?name=${name}&of=${program}&device=CPU+3`);
  await page.click('a:has-text("on the timeline")');
  await page.waitForSelector('.tl-details');
  assert.match(await keyOfSelected(page, 'eight'), /^vm\/CPU 3\//);
  await page.settled();

  const { step_devices: steps } = view.json('gpt', 'steps', '--steps', '3').tables;
  await page.visit(`#/${view.runs.gpt.id}/kernels?steps=3`);
  await page.settled();
  await page.locator('[data-table=kernels] .body [role=row] a').first().click();
  await page.waitForSelector('.tl-details');
  await keyOfSelected(page, 'gpt');
  const [track, event] = ofLink(page.url()).sel.split('.');
  const slice = await (await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/event?track=${track}&event=${event}`)).json();
  const [begin, length] = ['begin', 'step_time'].map(column => steps.rows[0][at(steps, column)]);
  assert.ok(slice.begin >= begin && slice.begin < begin + length, `${slice.begin} in ${begin} + ${length}`);
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

test('an instruction that did not run has no link to the timeline', async () => {
  const { memory_buffers: buffers } = view.json('gpt', 'memory').tables;
  const parameter = buffers.rows.find(row => row[at(buffers, 'kind')] === 'parameter');
  const page = await view.open('#/');
  const link = name => `#/${view.runs.gpt.id}/op?name=${name}&of=${parameter[at(buffers, 'program_id')]}`;
  await page.visit(link(parameter[at(buffers, 'instruction')]));
  await page.settled();
  assert.match(await page.textContent('main'), /did not run/);
  assert.equal(await page.locator('a:has-text("on the timeline")').count(), 0);
  await page.visit(link('custom-call.4'));
  await page.settled();
  assert.ok((await page.locator('a:has-text("on the timeline")').count()) > 0);
  await page.done();
});

test('the number of a kernel’s operations leads to all of them', async () => {
  const page = await view.open('#/');
  for (const name of ['gpt', 'recompile']) {
    const { kernels } = view.json(name, 'kernels').tables;
    const most = Math.max(...kernels.rows.map(row => row[at(kernels, 'operation_count')]));
    assert.ok(most > 3);
    await page.visit(`#/${view.runs[name].id}/kernels?kernels.filter=operation_count=${most}`);
    await page.settled();
    await page.locator(`[data-table=kernels] .body [role=row] a:text-is("${most}")`).first().click();
    await page.waitForSelector('[data-table=ops]');
    await page.settled();
    assert.equal(await page.locator('[data-table=ops] .body [role=row]').count(), most, name);
  }
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

// A row of another grouping leads to as many operations as it says it has.
for (const [name, by, column, only] of [
  ['gpt', 'scope', 'path', /layer_1$|\((itself|outside gradient)\)$|unattributed/],
  ['recompile', 'scope', 'path', /./],
  ['recompile', 'source', 'name', /./],
])
  test(`rows of ${name} by ${by} lead to their operations, and to no others`, async () => {
    const { columns, rows } = view.json(name, 'ops', '--by', by).tables.ops;
    const at = wanted => columns.findIndex(({ name }) => name === wanted);
    const page = await view.open(`#/${view.runs[name].id}/ops?by=${by}`);
    for (const row of rows.filter(row => only.test(row[at(column)]))) {
      const exact = `"path=${row[at('path')]}" pass=${row[at('pass')] ?? ''}`;
      await page.visit(`#/${view.runs[name].id}/ops?by=${by}&ops.filter=${encodeURIComponent(exact)}`);
      await page.settled();
      await page.locator('[data-table=ops] .body [role=row] a').last().click();
      await page.settled();
      const counted = await page.textContent('[data-table=ops] .tools .muted');
      assert.equal(counted.split(' ')[0], String(row[at('operations')]), `${row[at('path')]}: ${page.url()}`);
    }
    await page.done();
  });

const linksIn = async (page, hash, within) => {
  await page.visit(hash);
  await page.settled();
  return page.$$eval(`${within} a`, all => all.map(link => [link.textContent, link.getAttribute('href')]));
};

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

// The slice that the link of the page selects.
async function selectedSlice(page, name) {
  await page.waitForSelector('.tl-details');
  await keyOfSelected(page, name);
  const [track, event] = ofLink(page.url()).sel.split('.');
  const path = `/api/runs/${view.runs[name].id}/event?track=${track}&event=${event}`;
  return (await view.fetch(`${view.origin}${path}`)).json();
}

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
      const slice = await selectedSlice(page, name);
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
    const slice = await selectedSlice(page, 'transfers');
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
    const slice = await selectedSlice(page, 'recompile');
    const [name, begin] = ['function', 'begin'].map(wanted => compiles.rows[nth][at(compiles, wanted)]);
    assert.ok(slice.name.includes(name), `${slice.name}: ${name}`);
    assert.equal(slice.begin, begin);
    const { from, to } = ofLink(page.url());
    assert.ok(from <= begin && begin + slice.duration <= to && slice.duration > (to - from) / 2, page.url());
    const fold = page.locator(`.tl-title[data-key="${await keyOfSelected(page, 'recompile')}"] .fold`);
    assert.equal(await fold.getAttribute('aria-expanded'), 'true');
    await page.settled();
  }
  await page.done();
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
  assert.match(await keyOfSelected(page, 'eight'), /^vm\/CPU 5\//);
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

test('a scope of the icicle leaves its operations in the table', async () => {
  const page = await view.open(`#/${view.runs.recompile.id}/ops`);
  await page.settled();
  await page.click('.icicle :text("(unattributed) copies")');
  await becomes(async () => assert.equal(await page.textContent('[data-table=ops] .tools .muted'), '5 of 34'));
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

test('a link to an operation that no program has says so', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/op?name=nosuch`);
  await page.waitForSelector('main:has-text("No operation of this name ran in this capture.")');
  await page.visit(`#/${view.runs.gpt.id}/op?name=nosuch&steps=2`);
  await page.waitForSelector('main:has-text("It did not run in this part of the capture.")');
  await page.done();
});

test('Tab goes past the icicle in one step, and the arrow keys go through it', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/ops`);
  await page.settled();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.id);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'content');
  assert.match(page.url(), /ops$/);
  const inIcicle = () => page.evaluate(() => document.activeElement.closest('.icicle') !== null);
  for (let tabs = 0; !(await inIcicle()); ++tabs) {
    assert.ok(tabs < 20);
    await page.keyboard.press('Tab');
  }
  const top = await focused();
  await page.keyboard.press('ArrowDown');
  const below = await focused();
  assert.notEqual(below, top);
  await page.keyboard.press('Enter');
  await becomes(async () => assert.equal(await page.locator('.icicle button.root').getAttribute('aria-label'), below));
  assert.equal(await focused(), below);
  await page.keyboard.press('Tab');
  assert.ok(!(await inIcicle()));
  await page.keyboard.press('Shift+Tab');
  assert.equal(await focused(), below);
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

test('names that the host page has without what differs lead to such a slice', async () => {
  const page = await view.open(`#/${view.runs.eight.id}/host?host_activities.filter=${encodeURIComponent('name="Wait"')}`);
  await page.settled();
  await page.click('[data-table=host_activities] .body [role=row] a');
  await page.waitForSelector('.tl-details');
  assert.match(await page.textContent('.tl-details h2'), /^Wait: pending_threads/);
  await page.settled();
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
