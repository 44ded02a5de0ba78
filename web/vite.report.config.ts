import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

// What lets an inline script or style sheet run: its own content, and no other.
async function hashOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

// The policy of the file: its script and its style sheet, pictures that these make, and no network. First in the head,
// as it holds for what follows.
const policy = async (script: string, style: string): Promise<string> =>
  [
    "default-src 'none'",
    `script-src ${await hashOf(script)}`,
    `style-src ${await hashOf(style)}`,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

// Script and style sheet go into the page itself: `gait report` writes it as one file.
const inline: Plugin = {
  name: 'inline',
  enforce: 'post',
  async generateBundle(_, bundle) {
    const page = bundle['report.html'];
    if (page?.type !== 'asset') throw new Error('there is no report.html');
    let html = String(page.source);
    let script = '';
    let style = '';
    for (const [name, file] of Object.entries(bundle)) {
      if (file === page) continue;
      if (file.type === 'chunk') {
        // At the end of the body: the data must be there before the script looks for it.
        script = file.code.replaceAll('</script', '<\\/script');
        html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"></script>`), '');
        html = html.replace('</body>', () => `<script type="module">${script}</script></body>`);
      } else if (name.endsWith('.css')) {
        style = String(file.source);
        html = html.replace(new RegExp(`<link[^>]*href="[^"]*${name}">`), () => `<style>${style}</style>`);
      }
      delete bundle[name];
    }
    const meta = `<meta http-equiv="Content-Security-Policy" content="${await policy(script, style)}" />`;
    page.source = html.replace('<meta charset="utf-8" />', first => `${first}\n    ${meta}`);
  },
};

export default defineConfig({
  base: './',
  plugins: [solid(), inline],
  publicDir: false,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: 'report.html',
      output: { entryFileNames: 'report.js', assetFileNames: 'report[extname]', inlineDynamicImports: true },
    },
  },
});
