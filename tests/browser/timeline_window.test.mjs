// The window of the timeline: keys, mouse and links move it, and Back brings it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './setup.mjs';
import { canvasBox, drawn, hold, length, link, openAt, page, placeOn, selectedEvent, stats, step2, view, windowNow } from './timeline.mjs';

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

test('a window beyond all measure and a regular expression that is none are no fault', async () => {
  await openAt('gpt', '?from=-1e30&to=1e30&q=%2Ffus(%2F');
  await page.waitForSelector('.found:has-text("not a regular expression")');
  await page.settled();
  page.fine();
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
