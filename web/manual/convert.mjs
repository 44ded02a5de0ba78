// A page of docs/ as HTML. Links between pages are kept, as links between the HTML pages; what leads out of docs/ is
// text, and so is HTML inside of Markdown: a page holds no script and asks for nothing elsewhere.
import { posix } from 'node:path';
import { Marked } from 'marked';

export const escapeHtml = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

// "rules/input.md" is "rules/input.html", and a README is the index of its folder.
export const htmlPath = path => path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');

// The name of a heading as GitHub makes it: links in Markdown count on it.
export const slugOf = text =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const isElsewhere = address => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(address);

// Where a link of the page at `from` leads, as the address of an HTML page; undefined where that is not in `files`.
export function resolveLink(from, address, files) {
  if (isElsewhere(address)) return undefined;
  const [path, anchor] = address.split('#');
  if (path === '') return `#${anchor}`;
  const target = posix.join(posix.dirname(from), path);
  if (!files.has(target)) return undefined;
  const relative = posix.relative(posix.dirname(from), htmlPath(target));
  return anchor === undefined ? relative : `${relative}#${anchor}`;
}

// `files`: the paths of all pages and pictures below docs/ that there will be. Answers the title, which is the text of
// the first heading, and the HTML of the page's content.
export function convert(path, markdown, files) {
  let title = '';
  const names = new Map();
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        const plain = text.replaceAll('`', '');
        if (depth === 1 && title === '') title = plain;
        const slug = slugOf(plain);
        const before = names.get(slug) ?? 0;
        names.set(slug, before + 1);
        const id = before === 0 ? slug : `${slug}-${before}`;
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        const address = resolveLink(path, href, files);
        return address === undefined ? inside : `<a href="${escapeHtml(address)}">${inside}</a>`;
      },
      image({ href, text }) {
        const address = resolveLink(path, href, files);
        if (address === undefined) return '';
        return `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}">`;
      },
      table(token) {
        const row = cells => `<tr>${cells.map(cell => this.tablecell(cell)).join('')}</tr>\n`;
        const head = token.header.some(cell => cell.text !== '')
          ? `<thead>${row(token.header)}</thead>\n`
          : '';
        return `<div class="wide"><table>\n${head}<tbody>${token.rows.map(row).join('')}</tbody>\n</table></div>\n`;
      },
      // The alignment of a column would be an attribute; numbers are few here.
      tablecell({ header, tokens }) {
        const name = header ? 'th' : 'td';
        return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
      },
    },
  });
  const content = marked.parse(markdown);
  return { title, content };
}
