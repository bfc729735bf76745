// Builds the application of the console into the folder that its process serves: `dist` beside its sources, or the one that is
// named. What it is made of is named by its contents, and lies there compressed as well.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { argv } from 'node:process';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const web = import.meta.dirname;
const folder = argv[2] ?? join(web, '..', 'dist');
const assets = join(folder, 'assets');

// Icons are drawn by their components. What Blueprint would fetch one by its name with holds all of them, and a first page would load them.
const withoutIconsByName = {
  name: 'without icons by name',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/paths(?:-loaders\/|Loader$)/ }, ({ path }) => ({ path, external: true })),
};

rmSync(folder, { recursive: true, force: true });
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
for (const path of [...readdirSync(assets).map((name) => join(assets, name)), join(folder, 'index.html')]) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
