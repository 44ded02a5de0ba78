// The timeline as a whole: links to it, search on it, and what is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes, runNames } from './setup.mjs';
import { assertInSight, canvasBox, close, drawn, link, open, openAt, page, rested, selectedEvent, stats, view, windowNow } from './timeline.mjs';

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
  await close();
});

test('the timeline of every run opens without a fault', async () => {
  await openAt(runNames[0]);
  for (const name of runNames) {
    await page.visit(`#/${view.runs[name].id}/timeline`);
    await page.settled();
    await drawn();
    page.fine();
  }
  await close();
});

test('a capture without events says so, and what to do', async () => {
  await open(`#/${view.runs.cut.id}/timeline`);
  await page.settled();
  assert.match(await page.textContent('main [role=alert]'), /no event/);
  assert.ok(!(await page.isVisible('.tl-axis')));
  await page.visit(`#/${view.runs.cut.id}/overview`);
  await page.settled();
  const titles = await page.$$eval('main h2', all => all.map(title => title.textContent));
  assert.ok(!titles.some(title => /goes|operations/.test(title)), titles.join());
  await close();
});
