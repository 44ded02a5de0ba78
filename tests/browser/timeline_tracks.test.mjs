// The tracks of the timeline: their rows, order, folds, pins and filter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './setup.mjs';
import { link, open, openAt, page, placeOn, rested, view } from './timeline.mjs';

test('rows: devices with steps, programs, scopes and idle time, then host threads', async () => {
  await openAt('gpt');
  const titles = await page.$$eval('.tl-title .name', all => all.map(title => title.textContent.trim()));
  for (const word of ['GPU 0', 'steps', 'scopes', 'Stream'])
    assert.ok(titles.some(title => title.includes(word)), `${word} in ${titles.join(', ')}`);
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
  await open(`#/${view.runs.gpt.id}/timeline?tracks=zzz`);
  assert.match(await page.textContent('.tl-body [role=status]'), /No track passes the filter “zzz”/);
  await page.click('.tl-body [role=status] button');
  await becomes(async () => assert.ok((await page.locator('.tl-title').count()) > 3));
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
