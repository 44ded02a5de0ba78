// The frame around a page, and the page that lists all others.
import { posix } from 'node:path';
import { escapeHtml, htmlPath } from './convert.mjs';

const sections = [
  ['rules', 'Rules of the doctor'],
  ['metrics', 'Metrics'],
  ['verbs', 'Verbs'],
  ['formats', 'Formats'],
];

const sectionOf = path => (path.includes('/') ? posix.dirname(path) : '');

// What people need comes before what is about gait itself.
const first = ['viewer.md', 'capture.md', 'json.md', 'xprof.md', 'compat.md'];
const rank = ({ path }) => (first.includes(path) ? first.indexOf(path) : first.length);

export function frame(path, title, content) {
  const up = '../'.repeat(path.split('/').length - 1);
  const links = sections.map(([id, name]) => {
    const current = sectionOf(path) === id ? ' aria-current="true"' : '';
    return `<a href="${up}index.html#${id}"${current}>${name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · gait</title>
<link rel="icon" href="${up}../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}docs.css">
<script src="${up}theme.js"></script>
</head>
<body>
<header><a class="home" href="${up}../">gait</a><nav aria-label="documentation"><a href="${up}index.html">Documentation</a>${links.join('')}</nav></header>
<main${path === 'index.md' ? ' class="index"' : ''}>
${content}</main>
</body>
</html>
`;
}

// `pages`: path and title of each.
export function indexPage(pages) {
  const list = of =>
    `<ul>\n${of.map(({ path, title }) => `<li><a href="${escapeHtml(htmlPath(path))}">${escapeHtml(title)}</a></li>\n`).join('')}</ul>\n`;
  const inSection = id =>
    pages
      .filter(({ path }) => sectionOf(path) === id && !path.endsWith('README.md'))
      .sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title, 'en'));
  const parts = sections
    .filter(([id]) => inSection(id).length > 0)
    .map(([id, name]) => `<h2 id="${id}">${name}</h2>\n${list(inSection(id))}`);
  return frame(
    'index.md',
    'Documentation',
    `<h1>Documentation</h1>\n${list(inSection(''))}${parts.join('')}`,
  );
}
