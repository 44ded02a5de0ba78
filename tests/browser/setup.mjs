// What all browser tests share: a log directory made of tests/data, `gait view` on it, and Debian's Chromium.
// Every page that a test opens fails it on a console error and on a request to any other origin.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { chromium, launchOptions } from '../../tools/chromium.mjs';
import { apartCapture, instantCapture, pairsCapture, vastCapture, wholeCapture } from './capture.mjs';

const root = resolve(import.meta.dirname, '../..');
export const launch = () => chromium.launch(launchOptions);

export const gait = process.env.GAIT ?? join(root, 'build/bin/gait');
const data = join(root, 'tests/data');

const runs = {
  gpt: 'h200/gpt.xplane.pb.gz',
  starved: 'h200/starved.xplane.pb.gz',
  eager: 'h200/eager.xplane.pb.gz',
  transfers: 'h200/transfers.xplane.pb.gz',
  recompile: 'h200/recompile.xplane.pb.gz',
  eight: 'cpu/eight_devices.xplane.pb.gz',
};
export const runNames = Object.keys(runs);
// Of these a test looks at what is special about them: several hosts, programs with the same names, kernels without
// graphs, no steps, steps without device work, no time or far too much, no events, not a capture.
const special = {
  hosts: 'cpu/two_processes/plugins/profile/run',
  same: 'cpu/same_names.xplane.pb.gz',
  launches: 'graphs/gemms_without.xplane.pb.gz',
};
const made = {
  junk: () => Buffer.alloc(5000, 'not a capture'),
  whole: () => wholeCapture(),
  pairs: () => pairsCapture(),
  apart: () => apartCapture(),
  instant: () => instantCapture(),
  vast: () => vastCapture(),
  cut: () => gunzipSync(readFileSync(join(data, runs.gpt))).subarray(0, 100_000),
};

export function makeLogDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'gait-browser-'));
  let hour = 10;
  for (const [name, file] of Object.entries(runs)) {
    const run = join(directory, name, 'plugins/profile', `2026_11_15_${hour++}_00_00`);
    mkdirSync(run, { recursive: true });
    cpSync(join(data, file), join(run, 'vm.xplane.pb.gz'));
    if (name === 'gpt') cpSync(join(data, 'memory'), run, { recursive: true });
  }
  for (const [name, file] of Object.entries(special)) {
    const run = join(directory, name, 'plugins/profile', '2026_11_14_11_00_00');
    mkdirSync(run, { recursive: true });
    const isFile = file.endsWith('.gz');
    cpSync(join(data, file), isFile ? join(run, 'vm.xplane.pb.gz') : run, { recursive: !isFile });
  }
  // Two hosts whose devices have the same name.
  const twins = join(directory, 'twins/plugins/profile/2026_11_14_11_00_00');
  mkdirSync(twins, { recursive: true });
  for (const host of ['host0', 'host1']) cpSync(join(data, special.launches), join(twins, `${host}.xplane.pb.gz`));
  for (const [name, bytes] of Object.entries(made)) {
    const run = join(directory, name, 'plugins/profile', '2026_11_14_10_00_00');
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, 'vm.xplane.pb'), bytes());
  }
  return directory;
}

export async function startServer(directory, ...options) {
  const words = ['view', directory, '--port', '0', '--no-browser', ...options];
  const child = spawn(gait, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const address = await new Promise((done, fail) => {
    const look = chunk => {
      text += chunk;
      const match = /http:\/\/\S+/.exec(text);
      if (match) done(match[0]);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', code => fail(new Error(`gait view ended with ${code}: ${text}`)));
  });
  const { origin, port, searchParams } = new URL(address);
  const token = searchParams.get('token');
  return {
    address,
    origin,
    // As the page asks, which has the cookie.
    fetch: (url, asked = {}) => fetch(url, { ...asked, headers: { Authorization: `Bearer ${token}`, ...asked.headers } }),
    cookie: { name: `gait_token_${port}`, value: token, url: origin, httpOnly: true, sameSite: 'Strict' },
    pid: child.pid,
    stop: () => child.kill('SIGINT'),
  };
}

// Everything a test file needs, and how to end it.
export async function start({ directory, viewport = { width: 1440, height: 900 } } = {}) {
  const made = directory ? undefined : makeLogDirectory(); // only what was made here is removed at the end
  const server = await startServer(directory ?? made);
  const launched = performance.now();
  const browser = await launch();
  const browserMs = performance.now() - launched;
  let shared;
  const list = await (await server.fetch(`${server.origin}/api/runs`)).json();
  const byName = Object.fromEntries(list.runs.map(run => [run.label.split('/')[0], run]));
  return {
    ...server,
    browser,
    browserMs,
    runs: byName,
    open: async (hash, options) => {
      // Pages without wishes share a context, and with it the compiled app.
      shared ??= options ? undefined : await newContext(browser, server, { viewport });
      const context = options ? await newContext(browser, server, { viewport, ...options }) : shared;
      return openPage(context, server.origin, hash, options ? () => context.close() : undefined);
    },
    json: (name, verb, ...options) =>
      JSON.parse(execFileSync(gait, [verb, byName[name].path, '--json', ...options], { maxBuffer: 1 << 28 })),
    // The same while the browser goes on.
    jsonSoon: async (name, verb, ...options) => {
      const arguments_ = [verb, byName[name].path, '--json', ...options];
      return JSON.parse((await promisify(execFile)(gait, arguments_, { maxBuffer: 1 << 28 })).stdout);
    },
    stop: async () => {
      await browser.close();
      server.stop();
      if (made) rmSync(made, { recursive: true, force: true });
    },
  };
}

// What a key or a click changes is on the page and in the link a moment later: a check is run until it holds.
export async function becomes(check, patience = 10_000) {
  for (const end = performance.now() + patience; ; ) {
    try {
      return await check();
    } catch (failure) {
      if (performance.now() > end) throw failure;
    }
    await new Promise(done => setTimeout(done, 20));
  }
}

async function newContext(browser, { origin, cookie }, options) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  await context.addCookies([cookie]);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  return context;
}

async function openPage(context, origin, hash, close) {
  const page = await context.newPage();
  const problems = [];
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', error => problems.push(error.message));
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) problems.push(`request to ${url.origin}`);
  });
  let open = 0;
  page.on('request', () => ++open);
  page.on('requestfinished', () => --open);
  page.on('requestfailed', () => --open);
  await page.goto(`${origin}/${hash}`);
  page.visit = async next => {
    await page.goto(`${origin}/${next}`);
    // The app learns of an address in a task of its own: a frame later it has begun to draw the other page.
    await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => setTimeout(drawn))));
  };
  // The page has what it wants, and nothing went wrong on the way.
  page.settled = async () => {
    for (let quiet = 0; quiet < 3; ) {
      await page.waitForTimeout(25);
      const waiting = await page.evaluate(() => document.querySelector('main .waiting, main .tl-pending') !== null);
      quiet = open > 0 || waiting ? 0 : quiet + 1;
    }
  };
  let sent = 0;
  page.on('requestfinished', async request => {
    sent += (await request.sizes().catch(() => ({ responseBodySize: 0 }))).responseBodySize;
  });
  page.bytesSent = () => sent;
  page.fine = () => assert.deepEqual(problems, []);
  page.done = async () => {
    page.fine();
    await (close ? close() : page.close());
  };
  return page;
}
