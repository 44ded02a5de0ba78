// Operations, kernels and the roofline.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, ps } from './links.mjs';
import { becomes, start } from './setup.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

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

test('a scope of the icicle leaves its operations in the table', async () => {
  const page = await view.open(`#/${view.runs.recompile.id}/ops`);
  await page.settled();
  await page.click('.icicle :text("(unattributed) copies")');
  await becomes(async () => assert.equal(await page.textContent('[data-table=ops] .tools .muted'), '5 of 34'));
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
