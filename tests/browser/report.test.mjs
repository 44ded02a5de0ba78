// `gait report`: one file from which no request leaves, with the command's answers, on a phone and on paper too.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { becomes, gait, launch, makeLogDirectory } from './setup.mjs';

let browser;
let logs;
let out;
before(async () => {
  logs = makeLogDirectory();
  out = mkdtempSync(join(tmpdir(), 'gait-report-'));
  browser = await launch();
});
after(async () => {
  await browser.close();
  for (const made of [logs, out]) rmSync(made, { recursive: true, force: true });
});

const command = (...words) => execFileSync(gait, words, { cwd: logs, maxBuffer: 1 << 28 }).toString();
const json = (verb, ...words) => JSON.parse(command(verb, ...words, '--json'));

// The report of a run, made once.
function report(name) {
  const file = join(out, `${name}.html`);
  return existsSync(file) ? '' : command('report', name, '-o', file);
}

// Opens a report; `fine` says that nothing went wrong and nothing was asked for.
async function open(name, { print, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on('console', message => problems.push(message.text()));
  page.on('pageerror', error => problems.push(error.message));
  page.on('request', request => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`request to ${request.url()}`);
  });
  if (name !== 'diff.html') report(name.replace('.html', ''));
  if (print) await page.emulateMedia({ media: 'print' });
  await page.goto(pathToFileURL(join(out, name)).href);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.tl-canvas canvas')].every(canvas => canvas.gait?.stats.complete),
  );
  page.fine = async () => {
    assert.deepEqual(problems, []);
    assert.deepEqual(await page.evaluate(() => window.gaitReport.missing), []);
    await context.close();
  };
  return page;
}

const answers = page =>
  page.$$eval('.part', parts => Object.fromEntries(parts.map(p => [p.id, p.querySelector('.answer')?.textContent])));

// With memory profiles beside it; with a finding about input; many small slices; no GPU.
for (const name of ['gpt', 'starved', 'eager', 'eight']) {
  test(`the report of ${name} says what the command says`, async () => {
    const said = report(name);
    assert.match(said, /^Wrote .*\.html \(.* [KM]iB\)\./);
    assert.ok(statSync(join(out, `${name}.html`)).size < 5e6);
    const page = await open(`${name}.html`);
    const shown = await answers(page);
    for (const verb of ['overview', 'doctor', 'ops', 'memory']) assert.equal(shown[verb], json(verb, name).answer, verb);
    const drawn = await page.$eval('.tl-canvas canvas', canvas => canvas.gait.stats);
    assert.ok(drawn.slices + drawn.buckets > 0, 'the timeline is drawn');
    // Every link leads to a part that is there.
    const links = await page.$$eval('main a', all => all.map(link => link.getAttribute('href')));
    for (const link of links) assert.ok(shown[/#\/[^/]+\/(\w+)/.exec(link)?.[1]] !== undefined || /timeline/.test(link), link);
    await page.fine();
  });
}

test('the timeline of a report zooms and tells what a slice is', async () => {
  const page = await open('starved.html');
  const canvas = page.locator('.tl-canvas canvas');
  const length = () => page.textContent('.page-timeline .tl-tools .muted');
  const whole = await length();
  await page.click('[aria-label="zoom in"]');
  await becomes(async () => assert.notEqual(await length(), whole));
  await page.click('.page-timeline button:text-is("whole")');
  await becomes(async () => assert.equal(await length(), whole));
  const box = await canvas.boundingBox();
  const row = await page.locator('.tl-title', { hasText: 'steps' }).first().boundingBox();
  await canvas.click({ position: { x: box.width / 2, y: row.y - box.y + 8 } });
  await page.waitForFunction(() => /train/.test(document.querySelector('.picked-slice').textContent));
  // A finding's evidence is a place on this timeline.
  await page.click('.findings a >> nth=0');
  await page.waitForFunction(before => document.querySelector('.page-timeline .tl-tools .muted').textContent !== before, whole);
  await page.fine();
});

test('a report fits a phone, in the dark too', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('starved.html', { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, colorScheme === 'dark' ? 'rgb(20, 23, 28)' : 'rgb(255, 255, 255)');
    await page.fine();
  }
});

test('a report fits a phone however long the name of the run is', async () => {
  const name = `${'of_the_last_week_'.repeat(6)}starved`;
  cpSync(join(logs, 'starved'), join(logs, name), { recursive: true });
  const page = await open(`${name}.html`, { viewport: { width: 390, height: 844 }, isMobile: true });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.fine();
});

test('a report is printed without its buttons, in black on white', async () => {
  const page = await open('starved.html', { print: true, colorScheme: 'dark' });
  assert.equal(await page.locator('.report > header').isVisible(), false);
  assert.equal(await page.locator('.findings').isVisible(), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.fine();
  // What is painted is painted anew for the paper, before it is printed.
  const dark = await open('starved.html', { colorScheme: 'dark' });
  const brightness = event =>
    dark.evaluate(name => {
      if (name) dispatchEvent(new Event(name));
      const canvas = document.querySelector('.tl-canvas canvas');
      return canvas.getContext('2d').getImageData(canvas.width - 2, 4, 1, 1).data[0];
    }, event);
  await becomes(async () => assert.ok((await brightness()) < 100));
  assert.ok((await brightness('beforeprint')) > 200);
  await dark.evaluate(() => dispatchEvent(new Event('afterprint')));
  await dark.waitForFunction(() => document.documentElement.getAttribute('data-theme') === null);
  await dark.context().close(); // looking at pixels is told in the console
});

test('the report of a change says what the command says', async () => {
  command('report', '--diff', 'gpt', 'starved', '-o', join(out, 'diff.html'));
  for (const width of [1440, 390]) {
    const page = await open('diff.html', { viewport: { width, height: 900 } });
    assert.equal((await answers(page)).diff, json('diff', 'gpt', 'starved').answer);
    assert.equal(await page.locator('.page-timeline').count(), 2);
    assert.ok((await page.locator('.icicle .net').first().boundingBox()).height > 10, 'the flame is shaded');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.fine();
  }
});

// What somebody put into the file, and what came of it: what ran, and what was asked of a server.
async function withHostile(change) {
  const asked = [];
  const elsewhere = createServer((request, reply) => {
    asked.push(request.url);
    reply.end();
  });
  await new Promise(done => elsewhere.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${elsewhere.address().port}`;
  const hostile = [
    '<script>window.ran = "script"</script>',
    '<img src="data:," onerror="window.handled = true">',
    `<link rel="stylesheet" href="${origin}/style.css"><img src="${origin}/picture.png">`,
    `<iframe src="${origin}/frame.html"></iframe>`,
  ].join('');
  report('eight');
  const file = join(out, 'hostile.html');
  const page = readFileSync(join(out, 'eight.html'), 'utf8').replace('<div id="plain">', first => `${hostile}${first}`);
  writeFileSync(file, change(page));
  const opened = await browser.newPage();
  await opened.goto(pathToFileURL(file).href);
  await opened.locator('.part .answer').first().waitFor(); // the report itself works
  await opened.evaluate(url => fetch(url, { mode: 'no-cors' }).catch(() => undefined), `${origin}/fetch`);
  const found = { ran: await opened.evaluate(() => [window.ran, window.handled].filter(Boolean)), asked: asked.sort() };
  await opened.close();
  elsewhere.closeAllConnections();
  elsewhere.close();
  return found;
}

test('nothing runs in a report but its own script, and nothing leaves it', async () => {
  assert.deepEqual(await withHostile(page => page), { ran: [], asked: [] });
  // It is the policy that keeps them out.
  const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
  const without = await withHostile(page => page.replace(policy, ''));
  assert.deepEqual(without.ran, ['script', true]);
  assert.deepEqual(without.asked, ['/fetch', '/frame.html', '/picture.png', '/style.css']);
});
