// The documentation inside of the viewer: reached from the pages, and without a link that leads nowhere.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { becomes, start } from './setup.mjs';

let view;
before(async () => {
  view = await start();
});
after(() => view.stop());

test('a finding leads to the page of its rule, by keyboard too', async () => {
  const page = await view.open(`#/${view.runs.starved.id}/doctor`);
  await page.settled();
  const link = page.getByRole('link', { name: /^about this finding: Waiting for input/ });
  assert.equal(await link.getAttribute('href'), 'docs/rules/input.html');
  await link.focus();
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Enter');
  const rule = await opened;
  const problems = [];
  rule.on('console', message => problems.push(message.text()));
  rule.on('pageerror', error => problems.push(error.message));
  rule.on('request', request => {
    if (new URL(request.url()).origin !== view.origin) problems.push(request.url());
  });
  await rule.waitForSelector('h1'); // a page that is not there yet cannot be loaded again
  await rule.reload();
  assert.equal(await rule.textContent('h1'), 'input: Waiting for input');
  assert.equal(await rule.title(), 'input: Waiting for input · gait');
  await rule.click('main a:has-text("idle causes")');
  await becomes(async () => assert.equal(await rule.textContent('h1'), 'Idle causes'));
  await rule.click('header a.home');
  await rule.waitForSelector('h1.answer');
  assert.deepEqual(problems, []);
  await rule.close();
  // The table of all rules leads there as well.
  const first = page.locator('[data-table=rules] .body a').first();
  assert.equal(await first.getAttribute('href'), `docs/rules/${await first.textContent()}.html`);
  await page.done();
});

test('sections link to the definition of what they show', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/idle`);
  const found = new Set();
  for (const name of ['overview', 'idle', 'path', 'memory', 'kernels', 'roofline', 'host']) {
    await page.visit(`#/${view.runs.gpt.id}/${name}`);
    await page.settled();
    const links = await page.$$eval('main h2 a.docs', all => all.map(one => one.getAttribute('href')));
    assert.ok(links.length > 0, name);
    for (const link of links) found.add(link);
  }
  for (const link of found) {
    const answer = await view.fetch(`${view.origin}/${link}`);
    assert.equal(answer.status, 200, link);
    assert.match(answer.headers.get('content-type'), /^text\/html/);
    assert.match(await answer.text(), /<h1/, link);
  }
  await page.done();
});

test('the documentation follows the theme that was chosen', async () => {
  const page = await view.open(`#/${view.runs.gpt.id}/overview`, { colorScheme: 'light' });
  await page.settled();
  await page.evaluate(() => localStorage.setItem('gait.theme', 'dark'));
  await page.goto(`${view.origin}/docs/`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), 'rgb(20, 23, 28)');
  await page.evaluate(() => localStorage.removeItem('gait.theme'));
  await page.reload();
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  await page.done();
});

test('every page of docs/ is there, and every link in them leads somewhere', async () => {
  const pages = new Map(); // address to text
  const fetchPage = async address => {
    if (!pages.has(address)) {
      const answer = await view.fetch(address);
      assert.equal(answer.status, 200, address);
      assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
      pages.set(address, await answer.text());
    }
    return pages.get(address);
  };
  const queue = [`${view.origin}/docs/index.html`];
  for (const address of queue) {
    const text = await fetchPage(address);
    assert.doesNotMatch(text, /<script(?! src=)|<style|\sstyle=|\son\w+=/, address);
    for (const [, name, link] of text.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
      const target = new URL(link.replaceAll('&amp;', '&'), address);
      assert.equal(target.origin, view.origin, `${address}: ${link}`);
      const anchor = decodeURIComponent(target.hash.slice(1));
      target.hash = '';
      if (!target.pathname.startsWith('/docs/')) continue;
      const there = await fetchPage(target.href);
      if (anchor) assert.ok(there.includes(`id="${anchor}"`), `${address}: ${link}`);
      if (name === 'href' && target.pathname.endsWith('.html') && !queue.includes(target.href)) queue.push(target.href);
    }
  }
  const docs = join(import.meta.dirname, '../../docs');
  for (const file of readdirSync(docs, { recursive: true }).filter(name => name.endsWith('.md'))) {
    if (file.endsWith('README.md')) continue;
    assert.ok(pages.has(`${view.origin}/docs/${file.replace(/\.md$/, '.html')}`), file);
  }
  // The folder itself, with and without its slash; what is not there is not the app.
  assert.match(await fetchPage(`${view.origin}/docs/`), /<h1>Documentation/);
  const bare = await view.fetch(`${view.origin}/docs`, { redirect: 'manual' });
  assert.equal(bare.status, 303);
  assert.equal(bare.headers.get('location'), 'docs/');
  assert.equal((await view.fetch(`${view.origin}/docs/rules/none.html`)).status, 404);
});
