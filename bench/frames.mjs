// Frame times while panning and zooming through all depths of a run's timeline, in headless Chromium without
// a GPU. Usage: node frames.mjs LOGDIR [--max-p95 17]; prints one line of JSON. `p95` is what a person sees;
// `cpu` is what a frame costs the page's main thread, which says the same on a busy machine.
import { start } from './setup.mjs';

const [directory, , limit] = process.argv.slice(2);
const view = await start({ directory });
const run = Object.values(view.runs)[0];
const page = await view.open(`#/${run.id}/timeline`);
const opened = Date.now();
await page.waitForFunction(() => document.querySelector('.tl-canvas canvas')?.gait?.stats.complete, undefined, {
  timeout: 60_000,
});
const firstPicture = Date.now() - opened;
await page.settled();

const box = await page.locator('.tl-canvas canvas').boundingBox();
await page.evaluate(() => {
  const frames = [];
  let last = performance.now();
  const tick = now => {
    frames.push(now - last);
    last = now;
    globalThis.framesTimer = requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  globalThis.frames = frames;
  globalThis.worst = { slices: 0, buckets: 0, labels: 0, drawMs: 0 };
  const canvas = document.querySelector('.tl-canvas canvas');
  globalThis.watch = setInterval(() => {
    for (const key of Object.keys(globalThis.worst))
      globalThis.worst[key] = Math.max(globalThis.worst[key], canvas.gait.stats[key]);
  }, 5);
});
await view.browser.startTracing(page, { categories: ['cc', 'devtools.timeline'] });
// In to the deepest, a pan on the way at each depth, and out again.
for (const [zoom, times] of [['w', 14], ['s', 14]]) {
  for (let i = 0; i < times; ++i) {
    await page.mouse.move(box.x + box.width * (0.3 + 0.03 * (i % 10)), box.y + 90);
    await page.keyboard.press(zoom, { delay: 350 });
    await page.keyboard.press(i % 2 ? 'a' : 'd', { delay: 250 });
  }
}
const trace = JSON.parse((await view.browser.stopTracing()).toString()).traceEvents;
const cpu = trace
  .filter(event => event.name === 'ProxyMain::BeginMainFrame' && event.tdur !== undefined)
  .map(event => event.tdur / 1000)
  .sort((a, b) => a - b);
const cpuAt = part => +(cpu[Math.floor((cpu.length - 1) * part)] ?? Number.NaN).toFixed(1);
const result = await page.evaluate(() => {
  cancelAnimationFrame(globalThis.framesTimer);
  clearInterval(globalThis.watch);
  const sorted = globalThis.frames.slice(5).sort((a, b) => a - b);
  const at = part => +sorted[Math.floor((sorted.length - 1) * part)].toFixed(1);
  const canvas = document.querySelector('.tl-canvas canvas');
  return {
    frames: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: at(1),
    worst: globalThis.worst,
    tiles: canvas.gait.store(),
    heapMb: Math.round((performance.memory?.usedJSHeapSize ?? 0) / 1e6),
  };
});
console.log(JSON.stringify({ firstPictureMs: firstPicture, ...result, cpu: { p50: cpuAt(0.5), p95: cpuAt(0.95), max: cpuAt(1) } }));
page.fine();
await view.stop();
if (limit && cpuAt(0.95) > Number(limit)) process.exit(1);
