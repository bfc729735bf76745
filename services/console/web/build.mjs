// Builds the console's application: `dist/pages`, which its process serves, and `dist/made-of.json`, the list of
// bundled files, from which image builds determine whose code they redistribute. Assets are named by their contents and
// also stored compressed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const web = import.meta.dirname;
const dist = join(web, '..', 'dist');
const folder = join(dist, 'pages');
const assets = join(folder, 'assets');

// Icons are rendered by their components. Blueprint's loaders by name bundle every icon, and the first page would load
// them all.
const withoutIconsByName = {
  name: 'without icons by name',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/paths(?:-loaders\/|Loader$)/ }, ({ path }) => ({ path, external: true })),
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });
const { metafile } = await build({
  absWorkingDir: web,
  entryPoints: ['src/main.tsx'],
  outdir: assets,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.woff': 'file', '.woff2': 'file', '.ttf': 'file', '.eot': 'file', '.svg': 'file' },
  legalComments: 'none',
  plugins: [withoutIconsByName],
  metafile: true,
  logLevel: 'warning',
});
const made = Object.entries(metafile.outputs).flatMap(([path, { entryPoint, cssBundle }]) =>
  entryPoint === 'src/main.tsx' ? [{ script: basename(path), style: basename(cssBundle ?? '') }] : [],
);
const [{ script, style }] = made;
const tags = [
  `<link rel="stylesheet" href="/assets/${style}">`,
  `<script type="module" src="/assets/${script}"></script>`,
].join('\n    ');
const page = readFileSync(join(web, 'index.html'), 'utf8').replace('<!-- what was built -->', tags);
writeFileSync(join(folder, 'index.html'), page);
const inside = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
);
const madeOf = [...new Set(inside)].map((path) => relative(dist, join(web, path)));
writeFileSync(join(dist, 'made-of.json'), JSON.stringify(madeOf));
for (const path of [...readdirSync(assets).map((name) => join(assets, name)), join(folder, 'index.html')]) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
