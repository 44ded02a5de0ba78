// build.mjs DOCS OUT: the documentation as pages for the viewer, whose binary has no docs/ beside it. Without DOCS there
// are none.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { convert, htmlPath } from './convert.mjs';
import { frame, indexPage } from './pages.mjs';

const largestPicture = 100_000; // bytes: they become a part of the program
const [docs, out] = process.argv.slice(2);

const filesBelow = (folder, under = '') =>
  readdirSync(join(folder, under), { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? filesBelow(folder, `${under}${entry.name}/`) : [under + entry.name],
  );

function write(path, text) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}

if (existsSync(docs)) {
  const all = filesBelow(docs).sort();
  const pages = all.filter(path => path.endsWith('.md'));
  const pictures = all.filter(
    path => path.endsWith('.png') && statSync(join(docs, path)).size <= largestPicture,
  );
  const files = new Set([...pages, ...pictures]);
  const converted = pages.map(path => ({
    path,
    ...convert(path, readFileSync(join(docs, path), 'utf8'), files),
  }));
  for (const { path, title, content } of converted) write(htmlPath(path), frame(path, title, content));
  write('index.html', indexPage(converted));
  for (const path of pictures) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    cpSync(join(docs, path), join(out, path));
  }
  const style = name => readFileSync(join(import.meta.dirname, name), 'utf8');
  write('docs.css', style('../src/styles/tokens.css') + style('docs.css'));
  write('theme.js', style('theme.js'));
}
