// How the console's application is built: `dist/pages`, which its process serves, and `dist/made-of.json`, the list of
// bundled files, from which image builds determine whose code they redistribute. Assets are named by their contents and
// also stored compressed.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const dist = join(import.meta.dirname, '..', 'dist');
const pages = join(dist, 'pages');

const compressAndList = {
  name: 'compress-and-list',
  apply: 'build',
  async writeBundle(_options, bundle) {
    const assets = join(pages, 'assets');
    await Promise.all((await readdir(assets)).map((name) => compress(join(assets, name))));
    const rendered = Object.values(bundle).flatMap(({ modules = {} }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
    );
    const styles = [...this.getModuleIds()].filter((id) => id.endsWith('.css'));
    // Modules of the bundler itself have no path.
    const files = [...new Set([...rendered, ...styles])].filter(isAbsolute);
    await writeFile(join(dist, 'made-of.json'), JSON.stringify(files.map((path) => relative(dist, path))));
  },
};

async function compress(path) {
  const bytes = await readFile(path);
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

export default defineConfig({
  plugins: [react(), compressAndList],
  build: {
    outDir: pages,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy admits no fonts or styles in URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
  },
});
