// How long a person waits: from `gait view` to a complete overview, and to a timeline that can be used; with what
// was sent and the memory of both sides. Usage: node bench/viewer.mjs LOGDIR [ROUNDS]; prints one line of JSON.
import { readFileSync } from 'node:fs';
import { start } from '../tests/browser/setup.mjs';

const [directory, rounds = '5'] = process.argv.slice(2);
const median = values => values.sort((a, b) => a - b)[(values.length - 1) >> 1];
const ready = {
  overview: () => document.querySelector('.cards dd') !== null && document.querySelector('.chart canvas') !== null,
  timeline: () => document.querySelector('.tl-canvas canvas')?.gait?.stats.complete === true,
};

const result = {};
for (const name of ['overview', 'timeline']) {
  const times = [];
  const sent = [];
  const memory = [];
  for (let round = 0; round < Number(rounds); ++round) {
    const began = performance.now();
    const view = await start({ directory });
    // The browser's own start is not the viewer's: it is taken off.
    const browserMs = view.browserMs;
    const page = await view.open(`#/${Object.values(view.runs)[0].id}/${name}`);
    await page.waitForFunction(ready[name], undefined, { timeout: 120_000, polling: 'raf' });
    times.push(performance.now() - began - browserMs);
    sent.push(page.bytesSent());
    await page.settled();
    memory.push(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${view.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
    await view.stop();
  }
  result[name] = {
    ms: Math.round(median(times)),
    sentKb: Math.round(median(sent) / 1000),
    serverMb: Math.round(median(memory)),
  };
}
console.log(JSON.stringify(result));
