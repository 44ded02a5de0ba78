// How long a person waits: from the start of the server to a complete overview and to a timeline that can be used, with
// what was sent, the memory of both sides and the frames while moving. gait beside its peers, the same capture in the
// same browser, each with a fresh server, a fresh cache and a fresh browser; medians.
// Usage: node bench/viewer.mjs CAPTURE [--rounds 3] [--only NAME] [--no-frames]
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, launchOptions } from '../tools/chromium.mjs';
import { measureFrames } from './frames.mjs';
import { peers } from './peers.mjs';

const limitMs = 60_000;
const longSeconds = 3; // what takes longer is not opened again

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    'no-frames': { type: 'boolean', default: false },
  },
});
const capture = resolve(positionals[0]);

const median = values => values.sort((a, b) => a - b)[(values.length - 1) >> 1];
const field = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1000;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the process is gone
  }
}

// A process and those it started.
function family(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    parents.set(Number(name), Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1] ?? 0));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

const total = (pid, file, name) => family(pid).reduce((sum, one) => sum + field(read(`/proc/${one}/${file}`), name), 0);

// Seconds that the processors worked for it; unlike the time, the same on a busy machine.
function worked(pid) {
  const ticks = family(pid).map(one => /\) (.*)/.exec(read(`/proc/${one}/stat`))?.[1].split(' ') ?? []);
  return ticks.reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0) / 100;
}

// Until the browser rests: for a moment after its start Chromium has work of its own, on the processors that the page is
// to be measured on.
async function settled(pid) {
  for (let before = worked(pid), rested = 0, waited = 0; rested < 5 && waited < 100; ++waited) {
    await new Promise(done => setTimeout(done, 100));
    const now = worked(pid);
    rested = now - before < 0.015 ? rested + 1 : 0;
    before = now;
  }
}

// One page, from nothing. The browser is there before the clock starts.
async function open(peer, name, wantFrames) {
  const scratch = mkdtempSync(join(tmpdir(), 'gait-bench-'));
  const server = await chromium.launchServer(launchOptions);
  let stop = () => {};
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(limitMs);
    const finished = [];
    page.on('requestfinished', request => finished.push(request));
    const file = peer.prepare?.(capture, scratch) ?? capture;
    await settled(server.process().pid);
    const before = worked(server.process().pid);
    const began = performance.now();
    const running = await peer.start(file, scratch);
    stop = running.stop;
    await page.goto(running.address(name));
    await peer.pages[name](page);
    const seconds = (performance.now() - began) / 1000;
    const processor = worked(server.process().pid) - before + (running.pid ? worked(running.pid) : 0);
    await page.waitForTimeout(500); // what is still on its way is counted too
    const sizes = await Promise.all(finished.map(request => request.sizes().catch(() => undefined)));
    const sent = sizes.reduce((sum, size) => sum + (size?.responseBodySize ?? 0), 0);
    const result = {
      seconds,
      processor,
      sent: (running.sent?.() ?? sent) / 1e6,
      server: running.pid ? total(running.pid, 'status', 'VmHWM') : undefined,
      browser: total(server.process().pid, 'smaps_rollup', 'Pss'),
    };
    if (wantFrames) {
      await peer.beforeMoving?.(page);
      result.frames = await measureFrames(page, peer.canvas(page));
    }
    return result;
  } finally {
    await stop();
    await server.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function within(ms, work) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`gave up after ${ms / 1000} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const unit = (value, name) => (value === undefined ? '–' : `${value.toFixed(value < 9.95 ? 1 : 0)} ${name}`);
const sent = megabytes => (megabytes < 1 ? unit(megabytes * 1000, 'kB') : unit(megabytes, 'MB'));
const ratio = (value, base) => (value === undefined || !base ? '' : (value / base).toFixed(1));

for (const name of ['overview', 'timeline']) {
  console.log(`  ${`to the ${name}`.padEnd(17)}     time   ratio    worked      sent   server  browser   frames: p50    p95    max`);
  let base;
  for (const peer of peers.filter(peer => peer.pages[name] && (peer === peers[0] || peer.name.includes(options.only)))) {
    if (peer.missing) {
      console.log(`  ${peer.name.padEnd(17)}skipped: ${peer.missing}`);
      continue;
    }
    const results = [];
    try {
      for (let spent = 0, round = 0; round < Number(options.rounds) && spent < longSeconds; ++round) {
        const frames = name === 'timeline' && round === 0 && !options['no-frames'];
        results.push(await within(limitMs, open(peer, name, frames)));
        spent += results.at(-1).seconds;
      }
    } catch (error) {
      console.log(`  ${peer.name.padEnd(17)}failed: ${error.message.split('\n')[0].slice(0, 80)}`);
      continue;
    }
    const of = key => (results[0][key] === undefined ? undefined : median(results.map(result => result[key])));
    base ??= of('seconds');
    const frames = results[0].frames;
    const moved = frames ? Object.values(frames.seen).map(value => value.toFixed(1).padStart(7)).join('') : '';
    console.log(
      `  ${peer.name.padEnd(17)}${`${of('seconds').toFixed(2)} s`.padStart(9)}${ratio(of('seconds'), base).padStart(8)}` +
        `${`${of('processor').toFixed(2)} s`.padStart(10)}${sent(of('sent')).padStart(10)}${unit(of('server'), 'MB').padStart(9)}` +
        `${unit(of('browser'), 'MB').padStart(9)}${moved && `     ${moved} ms`}`,
    );
    if (frames?.drawn) {
      const { slices, buckets, labels, store } = frames.drawn;
      console.log(
        `    while other machines took ${frames.stolen} % of the processors' time; a frame costs the page ` +
          `${frames.cpu.p95} ms (p95); at most ${slices} slices, ${buckets} buckets and ` +
          `${labels} labels drawn in one; ${JSON.stringify(store)}`,
      );
    }
  }
}
process.exit(0); // a page that was given up may still hold on
