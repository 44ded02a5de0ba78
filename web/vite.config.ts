import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

// One script and one style sheet with relative addresses: the binary embeds them, and the page also works
// behind a path prefix (a Jupyter proxy).
export default defineConfig({
  base: './',
  plugins: [solid()],
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'app-[hash].js',
        assetFileNames: 'app-[hash][extname]',
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
  test: { environment: 'node', include: ['src/**/*.test.ts', 'manual/*.test.mjs'] },
});
