// The timeline: keys and mouse do what the help says, and a link reopens the same place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { becomes, runNames, start } from './setup.mjs';
import { compareTable, readTables } from './tables.mjs';

let view;
let page;
before(async () => {
  view = await start();
});
after(() => view.stop());

// What the link says of a thing; the page knows it before the browser tells.
const link = name => page.evaluate(name => new URLSearchParams(location.hash.split('?')[1]).get(name), name);
// The window is written into the link when it rests.
const rested = () => page.waitForFunction(() => document.querySelector('.tl-canvas canvas').gait.resting());
const windowNow = async () => {
  await rested();
  return { from: Number(await link('from')), to: Number(await link('to')) };
};
// Holds a key until the window is as a check wants it: how far a key gets in a time depends on the frames drawn in it.
async function hold(key, check) {
  await becomes(async () => {
    await page.keyboard.press(key, { delay: 150 });
    check(await windowNow());
  });
}
const length = now => now.to - now.from;
const stats = () => page.evaluate(() => ({ ...document.querySelector('.tl-canvas canvas').gait.stats }));
const drawn = () => page.waitForFunction(() => document.querySelector('.tl-canvas canvas')?.gait?.stats.complete);
const canvasBox = () => page.locator('.tl-canvas canvas').boundingBox();

async function openAt(name, rest = '') {
  if (page) await page.done();
  page = await view.open(`#/${view.runs[name].id}/timeline${rest}`);
  await page.settled();
  await drawn();
}

// A place on a row with that title, at a part of the width.
async function placeOn(title, part, lane = 0) {
  const row = await page.locator(`.tl-title:has-text("${title}")`).first().boundingBox();
  const box = await canvasBox();
  return { x: box.x + box.width * part, y: row.y + 10 + 18 * lane };
}

const step2 = async () => {
  const table = view.json('gpt', 'steps').tables.step_devices;
  const at = name => table.columns.findIndex(column => column.name === name);
  const row = table.rows[2];
  return { begin: row[at('begin')], time: row[at('step_time')] };
};

const selectedEvent = async () => {
  const [track, event] = (await link('sel')).split('.');
  const { pathname } = new URL(`http://x${await page.evaluate(() => location.hash.slice(1))}`);
  const run = pathname.split('/')[1];
  return (await view.fetch(`${view.origin}/api/runs/${run}/event?track=${track}&event=${event}`)).json();
};

// The row of the selected slice is on the canvas.
async function assertInSight(title) {
  const row = await page.locator(`.tl-gutter .tl-title[title^="${title}"]`).first().boundingBox();
  const box = await canvasBox();
  assert.ok(row && row.y + 18 <= box.y + box.height && row.y + row.height > box.y, JSON.stringify([row, box]));
}

test('rows: devices with steps, programs, scopes and idle time, then host threads', async () => {
  await openAt('gpt');
  const titles = await page.$$eval('.tl-title .name', all => all.map(title => title.textContent.trim()));
  for (const word of ['GPU 0', 'steps', 'scopes', 'Stream'])
    assert.ok(titles.some(title => title.includes(word)), `${word} in ${titles.join(', ')}`);
});

test('W and S zoom at the pointer, A and D move', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin}&to=${begin + time}`);
  const box = await canvasBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await hold('w', now => assert.ok(length(now) < time * 0.9, 'W shows less'));
  const zoomed = await windowNow();
  const middle = (zoomed.from + zoomed.to) / 2;
  assert.ok(Math.abs(middle - (begin + time / 2)) < time * 0.02, 'the middle stays');
  await hold('d', now => assert.ok(now.from > zoomed.from, 'D moves right'));
  const moved = await windowNow();
  assert.ok(Math.abs(length(moved) - length(zoomed)) < 10, 'D zooms not');
  await hold('a', now => assert.ok(now.from < moved.from, 'A moves left'));
  await hold('s', now => assert.ok(length(now) > length(moved), 'S shows more'));
  await page.keyboard.press('ArrowRight', { delay: 100 });
  page.fine();
});

test('the wheel zooms with Ctrl, moves with Shift, scrolls without', async () => {
  const box = await canvasBox();
  await page.mouse.move(box.x + 300, box.y + 100);
  const before = await windowNow();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await becomes(async () => assert.ok(length(await windowNow()) < length(before)));
  const zoomed = await windowNow();
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, 200);
  await page.keyboard.up('Shift');
  await becomes(async () => assert.ok((await windowNow()).from > zoomed.from));
  await page.mouse.wheel(0, 60);
  page.fine();
});

test('a click selects a slice: its numbers, instruction and neighbours; F zooms to it, [ and ] step', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin + time * 0.4}&to=${begin + time * 0.41}`);
  const at = await placeOn('Stream', 0.5);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector('.tl-details');
  await page.settled();
  const [track, event] = (await link('sel')).split('.').map(Number);
  const detail = await (
    await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/event?track=${track}&event=${event}`)
  ).json();
  const text = await page.textContent('.tl-panel');
  assert.ok(text.includes(detail.name), text);
  assert.ok(text.includes(detail.operation.instruction), text);
  await page.keyboard.press('f');
  await becomes(async () => {
    const focused = await windowNow();
    assert.ok(focused.from < detail.begin && focused.to > detail.begin + detail.duration);
    assert.ok(length(focused) < detail.duration * 2);
  });
  const other = detail.same.next ? ']' : '[';
  await page.keyboard.press(other);
  await page.waitForFunction(was => !location.hash.includes(`sel=${was}&`) && !location.hash.endsWith(`sel=${was}`), `${track}.${event}`);
  await page.settled();
  page.fine();
});

test('arrows join a launch and its kernel, and lead from one to the other', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin + time * 0.4}&to=${begin + time * 0.41}`);
  const at = await placeOn('Stream', 0.5);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector('.tl-details');
  await page.settled();
  const kernel = await link('sel');
  await page.locator('.tl-links:has-text("launched by") button').first().click();
  await page.waitForFunction(was => !location.hash.includes(`sel=${was}`), kernel);
  await page.settled();
  assert.match(await page.textContent('.tl-details'), /leads to/);
  await page.keyboard.press('0');
  await becomes(async () => assert.ok((await stats()).arrows > 0));
  page.fine();
});

test('dragging over the histogram picks lengths: [ and ] step only through those', async () => {
  // A name with many executions.
  const api = `${view.origin}/api/runs/${view.runs.gpt.id}`;
  const { names } = await (await view.fetch(`${api}/search?q=Launch&in=names&limit=1`)).json();
  const { name } = names.reduce((most, one) => (one.count > most.count ? one : most));
  await openAt('gpt', `?q=${encodeURIComponent(name)}&sel=@`);
  await page.waitForSelector('.tl-details .histogram rect');
  const box = await page.locator('.tl-details .histogram svg').boundingBox();
  await page.mouse.move(box.x + 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('.tl-details:has-text("of them take")');
  await page.settled();
  const range = await link('lengths');
  const [least, most] = range.split('-').map(Number);
  for (const key of [']', ']', '[', ']']) {
    const was = await link('sel');
    await page.keyboard.press(key);
    await page.waitForFunction(sel => new URLSearchParams(location.hash.split('?')[1]).get('sel') !== sel, was);
    await page.settled();
    assert.equal(await link('lengths'), range);
    const { duration } = await selectedEvent();
    assert.ok(duration >= least && duration <= most, `${duration} in ${range}`);
  }
  // The lengths are in the link.
  await page.reload();
  await page.waitForSelector('.tl-details:has-text("of them take")');
  await page.settled();
  page.fine();
});

test('arrow keys and Enter pick lengths on the histogram', async () => {
  const api = `${view.origin}/api/runs/${view.runs.gpt.id}`;
  const { names } = await (await view.fetch(`${api}/search?q=Launch&in=names&limit=1`)).json();
  const { name } = names.reduce((most, one) => (one.count > most.count ? one : most));
  await openAt('gpt', `?q=${encodeURIComponent(name)}&sel=@`);
  await page.waitForSelector('.tl-details .histogram rect');
  await rested();
  const before = await windowNow();
  const { same } = await selectedEvent();
  const { edges, counts } = same.histogram;
  const slider = page.locator('.tl-details .histogram [role=slider]');
  await page.keyboard.press('Tab');
  await slider.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await becomes(async () =>
    assert.match(await slider.getAttribute('aria-valuetext'), new RegExp(`^${counts[0] + counts[1] + counts[2]} in `)),
  );
  assert.equal(await link('lengths'), null);
  await page.keyboard.press('Enter');
  await becomes(async () => assert.equal(await link('lengths'), `${Math.round(edges[0])}-${Math.round(edges[3])}`));
  await page.waitForSelector('.tl-details:has-text("of them take")');
  assert.deepEqual(await windowNow(), before); // the timeline has the same keys
  await page.keyboard.press('Escape');
  await becomes(async () => assert.equal(await link('lengths'), null));
  assert.ok(await link('sel'));
  await page.settled();
  page.fine();
});

test('the shortest execution has its mark on the histogram', async () => {
  const api = `${view.origin}/api/runs/${view.runs.gpt.id}`;
  const launch = (await (await view.fetch(`${api}/search?q=Launch&in=names&limit=1`)).json()).matches[0];
  const { same, name } = await (await view.fetch(`${api}/event?track=${launch.track}&event=${launch.event}`)).json();
  const query = `q=${encodeURIComponent(`"${name}"`)}&max=${same.min}&limit=1&like=${launch.track}`;
  const [least] = (await (await view.fetch(`${api}/search?${query}`)).json()).matches;
  await openAt('gpt', `?sel=${least.track}.${least.event}`);
  await page.waitForSelector('.tl-details .histogram rect');
  assert.equal(await page.locator('.tl-details .histogram line').count(), 1);
  page.fine();
});

// Both clicks in one go: a busy machine does not make two single ones of them.
const doubleClick = at =>
  page.evaluate(({ x, y }) => {
    for (let press = 0; press < 2; ++press)
      for (const type of ['pointerdown', 'pointerup', 'click']) {
        const where = { clientX: x, clientY: y, pointerId: 1, button: 0, bubbles: true, cancelable: true };
        const Kind = type === 'click' ? MouseEvent : PointerEvent;
        document.elementFromPoint(x, y).dispatchEvent(new Kind(type, where));
      }
  }, at);

test('a double click zooms to a slice, also where the panel about it opens', async () => {
  await openAt('gpt');
  await page.setViewportSize({ width: 1440, height: 560 });
  await drawn();
  const box = await canvasBox();
  await page.evaluate(() => {
    HTMLCanvasElement.prototype.setPointerCapture = () => {}; // there is no pointer
  });
  // A slice in the lower third, where the tip tells of one.
  let low;
  for (let part = 0.95; !low && part > 0.67; part -= 0.04)
    for (let across = 0.2; !low && across < 0.9; across += 0.1) {
      const at = { x: box.x + box.width * across, y: box.y + box.height * part };
      await page.mouse.move(at.x, at.y);
      if (await page.evaluate(() => document.querySelector('.tl-tip') !== null)) low = at;
    }
  assert.ok(low, 'a slice in the lower third');
  await doubleClick(low);
  await page.waitForSelector('.tl-details');
  await page.settled();
  const { begin, duration } = await selectedEvent();
  await becomes(async () => {
    const now = await windowNow();
    assert.ok(now.from <= begin && now.to >= begin + duration && length(now) < Math.max(2 * duration, 2e3), JSON.stringify(now));
  });
  page.fine();
});

test('a key that was pressed with Shift ends when it goes up', async () => {
  await openAt('gpt');
  await page.keyboard.down('Shift');
  await page.keyboard.down('KeyW');
  await page.waitForTimeout(100);
  await page.keyboard.up('Shift');
  await page.keyboard.up('KeyW');
  const now = await windowNow();
  await page.waitForTimeout(400);
  assert.deepEqual(await windowNow(), now);
  page.fine();
});

test('Back and Forward restore the window', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin}&to=${begin + time}`);
  const first = await windowNow();
  const at = await placeOn('Stream', 0.5);
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector('.tl-details');
  await page.keyboard.press('f');
  await becomes(async () => assert.ok(length(await windowNow()) < length(first)));
  const second = await windowNow();
  const shown = () => page.locator('.tl-tools > span.muted').first().textContent();
  const zoomed = await shown();
  await page.goBack();
  await becomes(async () => assert.notEqual(await shown(), zoomed));
  await page.goForward();
  await becomes(async () => assert.equal(await shown(), zoomed));
  assert.deepEqual(await windowNow(), second);
  await page.settled();
  page.fine();
});

test('Escape undoes: first the area, then the selection', async () => {
  await page.locator('.tl-canvas canvas').focus();
  await page.keyboard.press('m');
  await becomes(async () => assert.ok(await link('area')));
  await page.keyboard.press('Escape');
  await becomes(async () => assert.equal(await link('area'), null));
  assert.ok(await link('sel'));
  await page.keyboard.press('Escape');
  await becomes(async () => assert.equal(await link('sel'), null));
  await page.settled();
  page.fine();
});

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

test('the minimap takes the window along', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin}&to=${begin + time}`);
  const before = await windowNow();
  const map = await page.locator('.tl-minimap').boundingBox();
  await page.mouse.click(map.x + map.width * 0.2, map.y + 10);
  await becomes(async () => assert.ok((await windowNow()).from < before.from));
  const left = await windowNow();
  assert.ok(Math.abs(length(left) - length(before)) < 10);
  await page.mouse.move(map.x + map.width * 0.2, map.y + 10);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width * 0.5, map.y + 10, { steps: 4 });
  await page.mouse.up();
  await becomes(async () => assert.ok((await windowNow()).from > left.from));
  await drawn();
  page.fine();
});

test('Alt and the arrow keys move a track, and a link keeps its place', async () => {
  await openAt('gpt');
  const names = () => page.$$eval('.tl-gutter .rest .tl-title .name', all => all.map(one => one.textContent.trim()));
  const before = await names();
  const at = before.indexOf('scopes');
  await page.locator('.tl-gutter .rest .tl-title', { hasText: 'scopes' }).first().locator('.pin').focus();
  for (let up = 1; up <= 2; ++up) {
    await page.keyboard.press('Alt+ArrowUp');
    await becomes(async () => assert.equal((await names()).indexOf('scopes'), at - up));
  }
  const moved = await names();
  assert.deepEqual([...moved].sort(), [...before].sort());
  await rested();
  const hash = await page.evaluate(() => location.hash);
  await openAt('gpt', hash.slice(hash.indexOf('?')));
  assert.deepEqual(await names(), moved);
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

test('a key that folds or pins undoes it where the pointer rests, also when the rows moved', async () => {
  await openAt('gpt');
  for (const [key, name, title] of [['x', 'fold', 'scopes'], ['p', 'pin', 'steps']]) {
    const place = await placeOn(title, 0.5);
    await page.mouse.move(place.x, place.y);
    await page.keyboard.press(key);
    await becomes(async () => assert.match((await link(name)) ?? '', new RegExp(title)));
    await page.settled();
    await page.keyboard.press(key);
    await becomes(async () => assert.equal(await link(name), null));
    await page.mouse.move(place.x + 5, place.y); // and what is below it then when it moved
    await page.keyboard.press(key);
    await becomes(async () => assert.match((await link(name)) ?? '', new RegExp(title)));
    await page.keyboard.press(key);
    await becomes(async () => assert.equal(await link(name), null));
  }
  page.fine();
});

test('quotes keep the words of a filter of tracks together', async () => {
  await openAt('eight');
  const titles = () => page.$$eval('.tl-title.group', all => all.map(title => title.textContent.trim()));
  await page.fill('[aria-label="filter tracks"]', '"CPU 3"');
  await becomes(async () => assert.equal((await titles()).length, 2)); // the host and the device
  assert.ok((await titles())[1].includes('CPU 3'));
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

test('Tab goes through all names and leaves them beside their rows', async () => {
  await openAt('transfers');
  for (const i of [0, 1]) await page.locator('.tl-gutter .rest .pin').nth(i).click();
  await page.setViewportSize({ width: 1440, height: 3000 });
  await page.settled();
  const rows = await page.$$eval('.tl-gutter .rest .tl-title:has(button)', all => all.map(title => title.dataset.key));
  await page.setViewportSize({ width: 1440, height: 420 });
  await page.settled();
  assert.ok((await page.locator('.tl-gutter .rest .tl-title').count()) < rows.length, 'more rows than room');
  await page.locator('.tl-gutter .pinned button').last().focus();
  const seen = new Set();
  for (;;) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(async () => {
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const gutter = document.querySelector('.tl-gutter');
      const rest = gutter.querySelector('.rest');
      const title = rest.contains(document.activeElement) && document.activeElement.closest('.tl-title');
      const [inner, outer] = [title && document.activeElement.getBoundingClientRect(), rest.getBoundingClientRect()];
      return {
        key: title && title.dataset.key,
        moved: gutter.scrollTop + rest.scrollTop,
        inSight: title && inner.top >= outer.top && inner.bottom <= outer.bottom,
      };
    });
    if (seen.size % 8 === 7) await rested(); // the address has the place now, and the focus stays
    assert.equal(at.moved, 0, 'the names alone do not scroll');
    if (!at.key) break;
    assert.ok(at.inSight, `${at.key} is in sight`);
    seen.add(at.key);
  }
  assert.deepEqual([...seen], rows);
  await rested();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('what cannot be drawn is told, until it can', async () => {
  const own = await view.open(`#/${view.runs.gpt.id}/kernels`);
  let broken = true;
  await own.route('**/tile?*', route =>
    broken
      ? route.fulfill({ status: 500, contentType: 'application/json', body: '{"error": {"what": "the tile is lost."}}' })
      : route.continue(),
  );
  await own.visit(`#/${view.runs.gpt.id}/timeline`);
  await own.waitForSelector('.tl-error');
  assert.match(await own.textContent('.tl-error'), /missing: .*lost/);
  broken = false;
  await becomes(async () => {
    await own.click('[aria-label="zoom in"]');
    assert.equal(await own.locator('.tl-error').count(), 0);
  });
  await own.close(); // the console has the answers of 500
});

test('a slice that cannot be looked up is told where it would be, until another one can', async () => {
  const own = await view.open(`#/${view.runs.gpt.id}/timeline`, {});
  await own.settled();
  const lost = { status: 500, contentType: 'application/json', body: '{"error": {"what": "the slice is lost."}}' };
  let how = route => route.fulfill(lost);
  await own.route('**/event?*', route => how(route));
  const select = event =>
    own.evaluate(sel => {
      location.hash = location.hash.replace(/\?.*|$/, `?sel=${sel}`);
    }, `1.${event}`);
  await select(1);
  await own.waitForSelector('.tl-panel:has-text("could not be looked up: the slice is lost.")');
  assert.equal(await own.locator('.tl-error').count(), 0);
  how = route => route.continue();
  await select(2);
  await own.waitForSelector('.tl-details');
  how = route => route.abort('connectionrefused');
  await select(3);
  await own.waitForSelector('.tl-panel:has-text("still to come: gait does not answer")');
  assert.equal(await own.locator('.tl-error, .tl-details').count(), 0);
  how = route => route.continue();
  await own.waitForSelector('.tl-details');
  assert.equal(await own.locator('.tl-error, .trouble').count(), 0);
  await own.close(); // the console has the failed requests
});

test('a capture of a month is asked for in tiles that there are', async () => {
  await openAt('vast');
  await page.settled();
  assert.ok((await stats()).slices > 0);
  assert.equal(await page.locator('.tl-error').count(), 0);
  page.fine();
});

test('a window that did not rest yet is there after going back', async () => {
  await openAt('gpt');
  // In one go: however slow the machine is, the window cannot rest in between.
  const inLink = await page.evaluate(() => {
    const canvas = document.querySelector('.tl-canvas canvas');
    const { left, top, width } = canvas.getBoundingClientRect();
    const at = { clientX: left + width / 2, clientY: top + 60, ctrlKey: true, deltaY: -200 };
    canvas.dispatchEvent(new WheelEvent('wheel', { ...at, bubbles: true, cancelable: true }));
    const before = location.hash.includes('from=');
    [...document.querySelectorAll('nav a')].find(a => a.textContent.includes('Kernels')).click();
    return before;
  });
  assert.ok(!inLink, 'it is not in the link yet');
  await page.waitForSelector('[data-table=kernels]');
  await page.goBack();
  await page.waitForSelector('.tl-canvas');
  await becomes(async () => assert.ok(length(await windowNow()) > 0));
  page.fine();
});

// What the tip says, and what it says after a move of the mouse that does not matter.
async function tipNowAndAfterAMove(at) {
  const text = () => page.evaluate(() => document.querySelector('.tl-tip')?.textContent ?? '');
  await drawn();
  const now = await text();
  await page.mouse.move(at.x + 0.5, at.y);
  await page.mouse.move(at.x, at.y);
  return [now, await text()];
}

test('the tip is about what is below the pointer, also when that moved by itself', async () => {
  const { begin, time } = await step2();
  await openAt('gpt', `?from=${begin + time * 0.4}&to=${begin + time * 0.41}`);
  const at = await placeOn('Stream', 0.5);
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector('.tl-tip');
  const first = await page.textContent('.tl-tip');
  await page.keyboard.press('0');
  await page.settled();
  await becomes(async () => {
    const [whole, still] = await tipNowAndAfterAMove(at);
    assert.equal(whole, still);
    assert.notEqual(whole, first);
  });
  // Another run has other slices and other names.
  await page.selectOption('[aria-label=run]', view.runs.eight.id);
  await page.settled();
  await becomes(async () => {
    const [other, moved] = await tipNowAndAfterAMove(at);
    assert.equal(other, moved);
  });
  page.fine();
});

test('a link reopens the same place: rows that were scrolled to, and what it selects is in sight', async () => {
  await openAt('eight', '?q=all-to-all&sel=@');
  await page.waitForSelector('.tl-details:has-text("all-to-all")');
  await page.settled();
  await rested();
  const { label, name } = await selectedEvent();
  assert.match(name, /all-to-all/);
  const title = label.split(' ').at(-1);
  await assertInSight(title);
  const rows = () => page.$$eval('.tl-gutter .rest .tl-title', all => all.map(row => [row.title, row.style.top]));
  const before = await rows();
  const hash = await page.evaluate(() => location.hash);
  assert.match(hash, /top=/);
  await openAt('eight', hash.slice(hash.indexOf('?')));
  await page.waitForSelector('.tl-details');
  await becomes(async () => assert.deepEqual(await rows(), before));
  // The same without the rows, and in a smaller window.
  const { track, event } = await selectedEvent();
  await page.setViewportSize({ width: 800, height: 600 });
  await openAt('eight', `?sel=${track}.${event}`);
  await page.waitForSelector('.tl-details');
  await page.settled();
  await becomes(() => assertInSight(title));
  page.fine();
});

test('a track that is moved under a filter takes no other along', async () => {
  await openAt('gpt', '?tracks=stream');
  const names = () => page.$$eval('.tl-gutter .rest .tl-title .name', all => all.map(one => one.textContent.trim()));
  const streams = (await names()).filter(name => name.startsWith('Stream'));
  assert.ok(streams.length > 1, streams.join());
  await page.locator('.tl-gutter .rest .tl-title', { hasText: streams[1] }).first().locator('.pin').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await becomes(async () => assert.equal((await names()).filter(name => name.startsWith('Stream'))[0], streams[1]));
  await page.fill('[aria-label="filter tracks"]', '');
  await becomes(async () => assert.ok((await names()).includes('scopes')));
  const all = await names();
  const first = all.indexOf(streams[1]);
  assert.deepEqual(all.slice(first, first + streams.length).sort(), [...streams].sort());
  page.fine();
});

test('a filter that no track passes says so', async () => {
  if (page) await page.done();
  page = await view.open(`#/${view.runs.gpt.id}/timeline?tracks=zzz`);
  assert.match(await page.textContent('.tl-body [role=status]'), /No track passes the filter “zzz”/);
  await page.click('.tl-body [role=status] button');
  await becomes(async () => assert.ok((await page.locator('.tl-title').count()) > 3));
  await page.settled();
  page.fine();
});

test('a window beyond all measure and a regular expression that is none are no fault', async () => {
  await openAt('gpt', '?from=-1e30&to=1e30&q=%2Ffus(%2F');
  await page.waitForSelector('.found:has-text("not a regular expression")');
  await page.settled();
  page.fine();
});

test('a launch leads to its kernel, and what is not listed is no button', async () => {
  const api = `${view.origin}/api/runs/${view.runs.launches.id}`;
  const { tree } = await (await view.fetch(`${api}/tracks`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  const stream = leaves(tree).find(leaf => leaf.type === 'stream').track;
  const { matches } = await (await view.fetch(`${api}/search?q=/./&in=names&limit=100&track=${stream}`)).json();
  for (const match of matches) {
    const kernel = await (await view.fetch(`${api}/event?track=${match.track}&event=${match.event}`)).json();
    const cause = kernel.causes.find(one => one.name === kernel.name);
    if (!cause) continue;
    await openAt('launches', `?sel=${cause.track}.${cause.event}`);
    await page.waitForSelector('.tl-details');
    const links = await page.textContent('.tl-details');
    assert.match(links, /leads to/);
    assert.doesNotMatch(links, /the same on/);
    page.fine();
    break;
  }
  const launch = await (await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/search?q=cuGraphLaunch&limit=1`)).json();
  const { track, event } = launch.matches[0];
  await openAt('gpt', `?sel=${track}.${event}`);
  const detail = await selectedEvent();
  assert.ok(detail.effects_total > detail.effects.length);
  await page.click('.tl-links button:has-text("more")');
  await page.waitForSelector('.tl-links :text("not listed")');
  assert.equal(await page.locator('.tl-links button:has-text("more")').count(), 0);
  assert.equal(await page.locator('.tl-links li button').count(), detail.effects.length + detail.causes.length + (detail.parent ? 1 : 0));
  await page.settled();
  page.fine();
});

test('what a link selects and the capture does not have is said', async () => {
  await openAt('gpt', '?q=no-such-slice&sel=@');
  await page.waitForSelector('.tl-panel:has-text("Nothing on the timeline has")');
  await page.settled();
  await page.done();
  page = await view.open(`#/${view.runs.gpt.id}/timeline?sel=0.99999999`);
  await page.waitForSelector('.tl-panel:has-text("not in this capture")');
  await page.close(); // the browser itself writes of the answer 400
  page = undefined;
});

test('a gap of the idle page and a step of the overview are selected, not only in sight', async () => {
  if (page) await page.done();
  page = await view.open(`#/${view.runs.transfers.id}/idle`);
  await page.settled();
  const gaps = view.json('transfers', 'idle').tables.idle_gaps;
  const at = name => gaps.columns.findIndex(column => column.name === name);
  await page.locator('[data-table="idle_gaps"] .body .row a').first().click();
  await page.waitForSelector('.tl-details');
  const gap = await selectedEvent();
  const [begin, duration] = [gaps.rows[0][at('begin')], gaps.rows[0][at('duration')]];
  assert.ok(gap.begin >= begin && gap.begin + gap.duration <= begin + duration, JSON.stringify(gap));
  assert.ok(gap.duration > duration / 2);
  await becomes(() => assertInSight('idle'));
  await page.settled();
  await page.visit(`#/${view.runs.gpt.id}/overview`);
  const chart = await page.locator('.chart .u-over').first().boundingBox();
  await page.mouse.click(chart.x + chart.width * 0.5, chart.y + chart.height - 10);
  await page.waitForSelector('.tl-details');
  const step = await selectedEvent();
  const { begin: stepBegin, time } = await step2();
  assert.deepEqual([step.name, step.begin, step.duration], ['train 2', stepBegin, time]);
  await page.settled();
  page.fine();
});

test('Shift and the arrow keys select slices without a mouse', async () => {
  await openAt('gpt');
  const press = async key => {
    const was = await link('sel');
    await page.keyboard.press(`Shift+${key}`);
    await page.waitForFunction(sel => new URLSearchParams(location.hash.split('?')[1]).get('sel') !== sel, was);
    await page.waitForSelector('.tl-details');
    await page.settled();
    return selectedEvent();
  };
  const first = await press('ArrowRight');
  const below = await press('ArrowDown');
  assert.notEqual(below.track, first.track);
  const after = await press('ArrowRight');
  assert.deepEqual([after.track, after.event], [below.after.track, below.after.event]);
  const back = await press('ArrowLeft');
  assert.equal(back.event, below.event);
  page.fine();
});

test('search counts the matches and steps through them', async () => {
  await openAt('gpt');
  await page.keyboard.press('/');
  await page.keyboard.type('fusion_896');
  const found = await (
    await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/search?q=fusion_896&limit=1`)
  ).json();
  // Results of what was typed so far come first.
  const says = text =>
    page.waitForFunction(
      wanted => document.querySelector('.found')?.textContent.replaceAll('\u202f', '').startsWith(wanted),
      text,
    );
  await says(`${found.total} matches`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.tl-details');
  const first = await link('sel');
  await page.keyboard.press('Enter');
  await page.waitForFunction(was => !location.hash.includes(`sel=${was}`), first);
  await becomes(async () => assert.match(await page.textContent('.found'), /of/));
  await page.fill('#search', 'no such name');
  await says('0 matches');
  await page.keyboard.press('Enter');
  await page.settled();
  assert.match(await page.textContent('.found'), /^0 matches/);
  page.fine();
});

test('Enter in the search box of another page goes to the first match', async () => {
  await page.visit(`#/${view.runs.gpt.id}/overview`);
  await page.settled();
  await page.fill('#search', 'fusion_896');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.tl-details:has-text("fusion_896")');
  const { from, to } = await windowNow();
  const [track, event] = (await link('sel')).split('.').map(Number);
  const detail = await (
    await view.fetch(`${view.origin}/api/runs/${view.runs.gpt.id}/event?track=${track}&event=${event}`)
  ).json();
  assert.ok(from <= detail.begin && to >= detail.begin + detail.duration);
  assert.ok(detail.duration > (to - from) / 400, 'it is wide enough to be seen');
  await page.settled();
  page.fine();
});

test('tracks can be pinned, folded, filtered; colours change; the link restores all of it', async () => {
  await openAt('gpt');
  const at = await placeOn('Stream', 0.5);
  await page.mouse.move(at.x, at.y);
  await page.keyboard.press('p');
  await becomes(async () => assert.equal(await page.locator('.tl-gutter .pinned .tl-title').count(), 1));
  await page.keyboard.press('c');
  await becomes(async () => assert.equal(await link('color'), 'name'));
  // X folds what the pointer is on, and opens it again.
  const rows = () => page.locator('.tl-title').count();
  const group = await page.locator('.tl-gutter .rest .tl-title:has(.fold)').first().boundingBox();
  const opened = await rows();
  await page.mouse.move(at.x, group.y + group.height / 2);
  await page.keyboard.press('x');
  await becomes(async () => assert.ok((await rows()) < opened));
  await page.keyboard.press('x');
  await becomes(async () => assert.equal(await rows(), opened));
  await page.locator('.tl-gutter .rest .fold[aria-expanded=true]').last().click();
  await page.fill('[aria-label="filter tracks"]', 'gpu');
  await rested();
  const hash = await page.evaluate(() => location.hash);
  const titles = () => page.$$eval('.tl-title', all => all.map(title => title.textContent.trim()));
  const before = await titles();
  await openAt('gpt', hash.slice(hash.indexOf('?')));
  await becomes(async () => assert.deepEqual(await titles(), before));
  assert.equal(await page.inputValue('.tl-tools select'), 'name');
  page.fine();
});

test('what is drawn is bounded by the pixels, at every depth', async () => {
  await openAt('eager');
  const box = await canvasBox();
  const rows = (box.height / 18) | 0;
  const most = 2 * box.width * rows;
  for (let depth = 0; depth < 12; ++depth) {
    await page.mouse.move(box.x + box.width * 0.4, box.y + 80);
    await page.keyboard.press('w', { delay: 260 });
    await drawn();
    const now = await stats();
    assert.ok(now.slices + now.buckets <= most, JSON.stringify(now));
    assert.ok(now.labels <= 1500);
  }
  // A tile is 1024 buckets wide, and an entry has at most 24 bytes, however many events lie below.
  const sent = await page.evaluate(() => ({ ...document.querySelector('.tl-canvas canvas').gait.store() }));
  assert.ok(sent.largest <= 32 + rows * (32 + 1024 * 2 * 24), JSON.stringify(sent));
  await page.settled();
  await page.done();
  page = undefined;
});

test('another run is shown whole, also where the page stays the same', async () => {
  const shown = () => page.locator('.tl-tools > span.muted').first().textContent();
  const [one, other] = ['gpt', 'eight'];
  await openAt(other);
  const whole = await shown();
  await openAt(one);
  assert.notEqual(await shown(), whole);
  await page.evaluate(hash => { location.hash = hash; }, `#/${view.runs[other].id}/timeline`);
  await becomes(async () => assert.equal(await shown(), whole));
  await page.goBack();
  await becomes(async () => assert.notEqual(await shown(), whole));
  await page.settled();
  page.fine();
});

test('a window that comes to rest while another page is on its way does not call it back', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/timeline`);
  await page.settled();
  await page.evaluate(() => {
    window.held = [];
    window.setTimeout = later => window.held.push(later);
  });
  await page.locator('.tl-canvas').first().hover();
  await page.keyboard.press('w');
  await page.waitForFunction(() => window.held.length > 0);
  await page.evaluate(next => {
    location.hash = next;
    for (const later of window.held) later();
  }, `#/${view.runs.gpt.id}/kernels`);
  await page.waitForSelector('[data-table=kernels]');
  assert.match(page.url(), /\/kernels$/);
  await page.done();
});

test('the timeline of every run opens without a fault', async () => {
  await openAt(runNames[0]);
  for (const name of runNames) {
    await page.visit(`#/${view.runs[name].id}/timeline`);
    await page.settled();
    await drawn();
    page.fine();
  }
  await page.done();
  page = undefined;
});

test('a capture without events says so, and what to do', async () => {
  page = await view.open(`#/${view.runs.cut.id}/timeline`);
  await page.settled();
  assert.match(await page.textContent('main [role=alert]'), /no event/);
  assert.ok(!(await page.isVisible('.tl-axis')));
  await page.visit(`#/${view.runs.cut.id}/overview`);
  await page.settled();
  const titles = await page.$$eval('main h2', all => all.map(title => title.textContent));
  assert.ok(!titles.some(title => /goes|operations/.test(title)), titles.join());
  await page.done();
  page = undefined;
});

test('a kernel’s link selects that kernel: not its launch, not one whose name only begins so', async () => {
  const table = view.json('recompile', 'kernels').tables.kernels;
  const at = name => table.columns.findIndex(column => column.name === name);
  const shortened = table.rows.find(row => row[at('kernel')].endsWith('…'));
  if (page) await page.done();
  page = await view.open(`#/${view.runs.recompile.id}/kernels`);
  for (const row of [shortened, table.rows[1]]) {
    await page.visit(`#/${view.runs.recompile.id}/kernels?kernels.filter=${encodeURIComponent(`"${row[at('kernel')]}"`)}`);
    await page.settled();
    await page.locator('[data-table=kernels] .body [role=row] a').first().click();
    await page.waitForSelector('.tl-details');
    await page.settled();
    const found = await selectedEvent();
    assert.equal(found.name, row[at('name')]);
    assert.match(found.label, /Stream/);
  }
  page.fine();
});
