import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

// Script and style sheet go into the page itself: `gait report` writes it as one file.
const inline: Plugin = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['report.html'];
    if (page?.type !== 'asset') throw new Error('there is no report.html');
    let html = String(page.source);
    for (const [name, file] of Object.entries(bundle)) {
      if (file === page) continue;
      if (file.type === 'chunk') {
        // At the end of the body: the data must be there before the script looks for it.
        const code = file.code.replaceAll('</script', '<\\/script');
        html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"></script>`), '');
        html = html.replace('</body>', () => `<script type="module">${code}</script></body>`);
      } else if (name.endsWith('.css')) {
        html = html.replace(
          new RegExp(`<link[^>]*href="[^"]*${name}">`),
          () => `<style>${file.source}</style>`,
        );
      }
      delete bundle[name];
    }
    page.source = html;
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
