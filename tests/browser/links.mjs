// What the links of a page lead to, and the numbers beside them.
import assert from 'node:assert/strict';
import { becomes } from './setup.mjs';

// "4.35 µs" in ps.
export const ps = text => {
  const [, number, unit] = /([\d.]+) (ns|µs|ms|s)\b/.exec(text);
  return Number(number) * { ns: 1e3, µs: 1e6, ms: 1e9, s: 1e12 }[unit];
};

export const at = (table, name) => table.columns.findIndex(column => column.name === name);
export const ofLink = link => Object.fromEntries(new URLSearchParams(link.split('?')[1]));

// The key of the track that the link of the page selects.
export async function keyOfSelected(view, page, name) {
  const { tree } = await (await view.fetch(`${view.origin}/api/runs/${view.runs[name].id}/tracks?derived=1`)).json();
  const leaves = nodes => nodes.flatMap(node => (node.children ? leaves(node.children) : [node]));
  return becomes(() => {
    const [track, event] = ofLink(page.url()).sel.split('.').map(Number);
    assert.ok(event >= 0);
    return leaves(tree).find(leaf => leaf.track === track).key;
  });
}

export const linksIn = async (page, hash, within) => {
  await page.visit(hash);
  await page.settled();
  return page.$$eval(`${within} a`, all => all.map(link => [link.textContent, link.getAttribute('href')]));
};

// The slice that the link of the page selects.
export async function selectedSlice(view, page, name) {
  await page.waitForSelector('.tl-details');
  await keyOfSelected(view, page, name);
  const [track, event] = ofLink(page.url()).sel.split('.');
  const path = `/api/runs/${view.runs[name].id}/event?track=${track}&event=${event}`;
  return (await view.fetch(`${view.origin}${path}`)).json();
}
