// Frames of a timeline that is moved with the keys W A S D, which gait, XProf and Perfetto share: in to the depths, a
// pan on the way at each, and out again. `p95` is what a person sees; `cpu` is what a frame costs the page's main
// thread, which says the same on a busy machine; `stolen` is how much of the processors' time other machines took.
import { readFileSync } from 'node:fs';

// What gait's canvas says about itself: the most it drew in a frame, and what it holds.
function watchStats() {
  globalThis.worst = { slices: 0, buckets: 0, labels: 0, drawMs: 0 };
  const canvas = document.querySelector('.tl-canvas canvas');
  if (!canvas?.gait) return;
  globalThis.watch = setInterval(() => {
    for (const key of Object.keys(globalThis.worst))
      globalThis.worst[key] = Math.max(globalThis.worst[key], canvas.gait.stats[key]);
  }, 5);
}

function beginFrames() {
  const frames = [];
  let last = performance.now();
  const tick = now => {
    frames.push(now - last);
    last = now;
    globalThis.framesTimer = requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  globalThis.frames = frames;
}

function endFrames() {
  cancelAnimationFrame(globalThis.framesTimer);
  clearInterval(globalThis.watch);
  const canvas = document.querySelector('.tl-canvas canvas');
  return { frames: globalThis.frames.slice(5), drawn: canvas?.gait && { ...globalThis.worst, store: canvas.gait.store() } };
}

function spread(values) {
  const sorted = values.sort((a, b) => a - b);
  const at = part => +(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(1);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

// Ticks of all processors since the system began: all of them, and those that the hypervisor gave to others.
function processorTicks() {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/ +/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, value) => sum + value), stolen: ticks[7] };
}

export async function measureFrames(page, canvas, depths = 7) {
  const box = await canvas.boundingBox();
  const at = part => page.mouse.move(box.x + box.width * part, box.y + Math.min(90, box.height / 2));
  await at(0.5);
  const before = processorTicks();
  await page.evaluate(beginFrames);
  await page.evaluate(watchStats);
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['cc', 'devtools.timeline'] });
  for (const zoom of ['w', 's']) {
    for (let i = 0; i < depths; ++i) {
      await at(0.3 + 0.03 * (i % 10));
      await page.keyboard.press(zoom, { delay: 350 });
      await page.keyboard.press(i % 2 ? 'a' : 'd', { delay: 80 });
    }
  }
  const { frames, drawn } = await page.evaluate(endFrames); // before the trace is written, which takes a second at rest
  const after = processorTicks();
  const stolen = Math.round((100 * (after.stolen - before.stolen)) / (after.all - before.all));
  const trace = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
  const cpu = trace
    .filter(event => event.name === 'ProxyMain::BeginMainFrame' && event.tdur !== undefined)
    .map(event => event.tdur / 1000);
  return { count: frames.length, seen: spread(frames), cpu: spread(cpu), drawn, stolen };
}
