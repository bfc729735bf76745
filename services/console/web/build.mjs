// Builds the console's application: `dist/pages`, which its process serves, and `dist/made-of.json`, the list of
// bundled files, from which image builds determine whose code they redistribute. Assets are named by their contents and
// also stored compressed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const web = import.meta.dirname;
const dist = join(web, '..', 'dist');
const folder = join(dist, 'pages');
const assets = join(folder, 'assets');

/** The libraries whose index re-exports every component. */
const BARRELS = ['@mantine/core', '@mantine/hooks'];

// esbuild puts all that an index re-exports into the chunk of the first page, even if only another screen uses it. So components
// are imported from their own files.
const withoutBarrels = {
  name: 'without barrels',
  setup({ onLoad }) {
    const filesOf = Object.fromEntries(BARRELS.map((name) => [name, exportedFiles(name)]));
    onLoad({ filter: /\/web\/src\/.*\.tsx?$|\/@mantine\/.*\.mjs$/ }, async ({ path }) => ({
      loader: path.endsWith('.mjs') ? 'js' : path.endsWith('x') ? 'tsx' : 'ts',
      contents: (await readFile(path, 'utf8')).replace(
        /import \{([^}]*)\} from ["'](@mantine\/(?:core|hooks))["'];/g,
        (_, names, from) =>
          names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type '))
            .map(
              (name) =>
                `import { ${name} } from ${JSON.stringify(filesOf[from].get(name.split(' ')[0]) ?? from)};`,
            )
            .join(' '),
      ),
    }));
  },
};

/** Returns the file of each name that a package exports. */
function exportedFiles(name) {
  const index = fileURLToPath(import.meta.resolve(name));
  const packages = index.slice(0, index.indexOf('/@mantine/'));
  const lines = readFileSync(index, 'utf8').matchAll(/import \{([^}]*)\} from "([^"]+)";/g);
  return new Map(
    [...lines].flatMap(([, names, file]) =>
      names
        .split(',')
        .map((one) => [
          one.trim().split(' ').at(-1),
          file.startsWith('.') ? join(dirname(index), file) : join(packages, file),
        ]),
    ),
  );
}

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
  plugins: [withoutBarrels],
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
for (const path of readdirSync(assets).map((name) => join(assets, name))) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
const inside = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
);
const madeOf = [...new Set(inside)].map((path) => relative(dist, join(web, path)));
writeFileSync(join(dist, 'made-of.json'), JSON.stringify(madeOf));
