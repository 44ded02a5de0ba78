// The page of the timeline, for the tests about it. Each file of tests has one of its own.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { becomes, start } from './setup.mjs';

export let view;
export let page;
before(async () => {
  view = await start();
});
after(() => view.stop());

// The page was without a fault until here.
export async function close() {
  if (page) await page.done();
  page = undefined;
}

// The same of a page that had one.
export async function forget() {
  await page.close();
  page = undefined;
}

export async function open(address) {
  await close();
  page = await view.open(address);
}

// What the link says of a thing; the page knows it before the browser tells.
export const link = name => page.evaluate(name => new URLSearchParams(location.hash.split('?')[1]).get(name), name);
// The window is written into the link when it rests.
export const rested = () => page.waitForFunction(() => document.querySelector('.tl-canvas canvas').gait.resting());
export const windowNow = async () => {
  await rested();
  return { from: Number(await link('from')), to: Number(await link('to')) };
};
// Holds a key until the window is as a check wants it: how far a key gets in a time depends on the frames drawn in it.
export async function hold(key, check) {
  await becomes(async () => {
    await page.keyboard.press(key, { delay: 150 });
    check(await windowNow());
  });
}
export const length = now => now.to - now.from;
export const stats = () => page.evaluate(() => ({ ...document.querySelector('.tl-canvas canvas').gait.stats }));
export const drawn = () => page.waitForFunction(() => document.querySelector('.tl-canvas canvas')?.gait?.stats.complete);
export const canvasBox = () => page.locator('.tl-canvas canvas').boundingBox();

export async function openAt(name, rest = '') {
  await open(`#/${view.runs[name].id}/timeline${rest}`);
  await page.settled();
  await drawn();
}

// A place on a row with that title, at a part of the width.
export async function placeOn(title, part, lane = 0) {
  const row = await page.locator(`.tl-title:has-text("${title}")`).first().boundingBox();
  const box = await canvasBox();
  return { x: box.x + box.width * part, y: row.y + 10 + 18 * lane };
}

export const step2 = async () => {
  const table = view.json('gpt', 'steps').tables.step_devices;
  const at = name => table.columns.findIndex(column => column.name === name);
  const row = table.rows[2];
  return { begin: row[at('begin')], time: row[at('step_time')] };
};

export const selectedEvent = async () => {
  const [track, event] = (await link('sel')).split('.');
  const { pathname } = new URL(`http://x${await page.evaluate(() => location.hash.slice(1))}`);
  const run = pathname.split('/')[1];
  return (await view.fetch(`${view.origin}/api/runs/${run}/event?track=${track}&event=${event}`)).json();
};

// The row of the selected slice is on the canvas.
export async function assertInSight(title) {
  const row = await page.locator(`.tl-gutter .tl-title[title^="${title}"]`).first().boundingBox();
  const box = await canvasBox();
  assert.ok(row && row.y + 18 <= box.y + box.height && row.y + row.height > box.y, JSON.stringify([row, box]));
}
