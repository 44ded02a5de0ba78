// Debian's Chromium as the tests and the benchmark start it.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

export const { chromium } = createRequire(resolve(import.meta.dirname, '../web/package.json'))('playwright-core');

// Chromium draws two pages for the address bar of every window, each in a process of its own; nobody sees them here. The
// list takes the place of Playwright's, of which the others are.
const left = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'HttpsUpgrades', 'MediaRouter', 'OptimizationHints', 'PaintHolding'];

export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', `--disable-features=${left.join()}`],
};
