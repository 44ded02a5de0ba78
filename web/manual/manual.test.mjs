import { describe, expect, it } from 'vitest';
import { convert, htmlPath, resolveLink, slugOf } from './convert.mjs';
import { frame, indexPage } from './pages.mjs';

const files = new Set([
  'viewer.md',
  'rules/README.md',
  'rules/input.md',
  'metrics/idle_causes.md',
  'pictures/a.png',
]);

describe('the documentation as pages', () => {
  it('gives files their addresses', () => {
    expect(htmlPath('rules/input.md')).toBe('rules/input.html');
    expect(htmlPath('rules/README.md')).toBe('rules/index.html');
    expect(htmlPath('README.md')).toBe('index.html');
    expect(htmlPath('pictures/a.png')).toBe('pictures/a.png');
  });
  it('keeps links between pages, and no others', () => {
    expect(resolveLink('rules/input.md', '../metrics/idle_causes.md', files)).toBe(
      '../metrics/idle_causes.html',
    );
    expect(resolveLink('rules/input.md', '../metrics/idle_causes.md#a', files)).toBe(
      '../metrics/idle_causes.html#a',
    );
    expect(resolveLink('viewer.md', 'rules/README.md', files)).toBe('rules/index.html');
    expect(resolveLink('viewer.md', '#tables', files)).toBe('#tables');
    for (const out of [
      '../src/gait/x.h',
      '../../README.md',
      'https://example.org/x.md',
      'mailto:a@b.c',
      'gone.md',
    ])
      expect(resolveLink('viewer.md', out, files)).toBeUndefined();
  });
  it('drops links that leave to their text', () => {
    const { content } = convert('viewer.md', '[the `code`](../src/x.h) and https://example.org', files);
    expect(content).toBe('<p>the <code>code</code> and https://example.org</p>\n');
  });
  it('names headings as GitHub does, each once', () => {
    expect(slugOf('Which steps?')).toBe('which-steps');
    expect(slugOf('gait.serve(port)')).toBe('gaitserveport');
    const { title, content } = convert('viewer.md', '# `gait view`\n\n## Tables\n\n## Tables\n', files);
    expect(title).toBe('gait view');
    expect(content).toContain('<h1 id="gait-view"><code>gait view</code></h1>');
    expect(content).toContain('<h2 id="tables">Tables</h2>\n<h2 id="tables-1">Tables</h2>');
  });
  it('shows HTML as text, and pictures that are there', () => {
    const { content } = convert(
      'viewer.md',
      '<script>x</script>\n\n![see](pictures/a.png) ![no](b.png)',
      files,
    );
    expect(content).not.toContain('<script');
    expect(content).toContain('&lt;script&gt;');
    expect(content).toContain('<img src="pictures/a.png" alt="see">');
    expect(content.match(/<img/g)).toHaveLength(1);
  });
  it('puts tables into a box that scrolls, without empty heads and inline styles', () => {
    const { content } = convert('viewer.md', '| | |\n|---|--:|\n| a | `1` |\n', files);
    expect(content).toBe(
      '<div class="wide"><table>\n<tbody><tr><td>a</td><td><code>1</code></td></tr>\n</tbody>\n</table></div>\n',
    );
  });
  it('has a frame that finds its files from every depth, without inline script or style', () => {
    const page = frame('rules/input.md', 'a < b', '<p>x</p>');
    expect(page).toContain('<title>a &lt; b · gait</title>');
    expect(page).toContain('href="../docs.css"');
    expect(page).toContain('href="../index.html#rules" aria-current="true"');
    expect(page).toContain('class="home" href="../../"');
    expect(page).not.toMatch(/<script>|<style|style=/);
    expect(frame('viewer.md', 'x', '')).toContain('href="docs.css"');
  });
  it('lists every page once', () => {
    const pages = [...files].filter(path => path.endsWith('.md')).map(path => ({ path, title: path }));
    const links = [...indexPage(pages).matchAll(/<li><a href="([^"]*)"/g)].map(match => match[1]);
    expect(links).toEqual(['viewer.html', 'rules/input.html', 'metrics/idle_causes.html']);
  });
});
