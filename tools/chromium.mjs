// Chromium as the tests and the benchmark start it.
import { createRequire } from 'node:module';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export const { chromium } = createRequire(resolve(import.meta.dirname, '../web/package.json'))('playwright-core');

// Chromium draws two pages for the address bar of every window, each in a process of its own; nobody sees them here. The
// list takes the place of Playwright's, of which the others are.
const left = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'HttpsUpgrades', 'MediaRouter', 'OptimizationHints', 'PaintHolding'];

function find(names) {
  for (const path of names.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  throw new Error(`No ${names.join(', ')} in PATH. Install Chromium, or name it: CHROMIUM=/path/chromium make test`);
}

// Without its sandbox: root and containers have none, and all that it opens here is ours.
export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? find(['chromium', 'chromium-browser', 'google-chrome']),
  args: ['--no-sandbox', `--disable-features=${left.join()}`],
};
