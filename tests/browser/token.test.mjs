// How a browser gets in: by the printed address, by the page that `gait view` hands to the desktop, by links from
// elsewhere; and what it sees without the token.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, makeLogDirectory, startServer } from './setup.mjs';

let server;
let browser;
let directory;
const scratch = mkdtempSync(join(tmpdir(), 'gait-token-'));

before(async () => {
  directory = makeLogDirectory();
  server = await startServer(directory);
  browser = await launch();
});

after(async () => {
  await browser.close();
  server.stop();
  for (const made of [scratch, directory]) rmSync(made, { recursive: true, force: true });
});

// A new browser, as far as cookies go.
async function visit(address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

// The app is there, at the place that the address named, and its address no longer holds the token.
async function isIn(page) {
  await page.locator('.cards dd').first().waitFor();
  const { hash } = new URL(server.address);
  assert.equal(page.url(), `${server.origin}/${hash}`);
}

test('the printed address opens the app, and becomes a cookie that no script reads', async () => {
  const page = await visit(server.address);
  await isIn(page);
  assert.equal(await page.evaluate(() => document.cookie), '');
  const [cookie] = await page.context().cookies(server.origin);
  assert.equal(cookie.name, server.cookie.name);
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict');
  await page.context().close();
});

test('a page on the disk leads there, as the desktop opens it', async () => {
  const file = join(scratch, 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${server.address}">`);
  const page = await visit(`file://${file}`);
  await isIn(page);
  await page.context().close();
});

test('links from another site work for one who has been let in, and for nobody else', async () => {
  const { hash } = new URL(server.address);
  const link = `<!doctype html><a href="${server.origin}/${hash}">gait</a>`;
  const elsewhere = createServer((_, reply) => reply.writeHead(200, { 'Content-Type': 'text/html' }).end(link));
  await new Promise(done => elsewhere.listen(0, '127.0.0.2', done));
  try {
    const other = `http://127.0.0.2:${elsewhere.address().port}/`;
    const page = await visit(server.address);
    await isIn(page);
    await page.goto(other);
    await page.getByText('gait').click();
    await isIn(page);
    await page.context().close();
    const stranger = await visit(other);
    await stranger.getByText('gait').click();
    await stranger.getByText('This page is not for everyone').waitFor();
    await stranger.context().close();
  } finally {
    elsewhere.closeAllConnections();
    elsewhere.close();
  }
});

test('without the token a page says what to do', async () => {
  const page = await visit(`${server.origin}/`);
  await page.getByText('Use the whole address that gait view printed').waitFor();
  await page.context().close();
});
