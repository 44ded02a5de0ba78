// What is selected on the timeline: by a click, a key, an arrow, a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './setup.mjs';
import { assertInSight, drawn, forget, length, link, open, openAt, page, placeOn, rested, selectedEvent, stats, step2, view, windowNow } from './timeline.mjs';

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
  await open(`#/${view.runs.gpt.id}/timeline?sel=0.99999999`);
  await page.waitForSelector('.tl-panel:has-text("not in this capture")');
  await forget(); // the browser itself writes of the answer 400
});

test('a gap of the idle page and a step of the overview are selected, not only in sight', async () => {
  await open(`#/${view.runs.transfers.id}/idle`);
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

test('a kernel’s link selects that kernel: not its launch, not one whose name only begins so', async () => {
  const table = view.json('recompile', 'kernels').tables.kernels;
  const at = name => table.columns.findIndex(column => column.name === name);
  const shortened = table.rows.find(row => row[at('kernel')].endsWith('…'));
  await open(`#/${view.runs.recompile.id}/kernels`);
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
