import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { warnIfOffline } from './registry.mjs';
import { runProgram } from './run-program.mjs';
import { packageFiles, packageManager, root, servicesWithSchema, setupState } from './workspace.mjs';

const at = (...path) => join(root, ...path);

/** Installs exactly what the lockfile lists. Other steps need its packages. */
export const dependencies = step({
  ...{ name: 'dependencies', label: 'installing packages', output: at('node_modules', '.modules.yaml') },
  key: [process.platform, process.arch],
  sources: () => [at('pnpm-lock.yaml'), at('pnpm-workspace.yaml'), ...packageFiles()],
  before: warnIfOffline,
  // CI=true keeps pnpm from asking questions. It runs in the version that the repository names.
  work: () => [
    'npx',
    ['-y', packageManager(), 'install', '--frozen-lockfile', '--pm-on-fail=ignore', ...storeFlags()],
    { cwd: root, env: { ...process.env, CI: 'true' } },
  ],
});

/** pnpm puts its store at the top of the checkout's disk if the home folder is on another one. */
function storeFlags() {
  const diskOf = (path) => statSync(path, { throwIfNoEntry: false })?.dev;
  const usual = process.env.npm_config_store_dir || diskOf(homedir()) === diskOf(root);
  return usual ? [] : ['--store-dir', at('.run', 'pnpm-store')];
}

const PROTO = [
  'supplier',
  'buf.yaml',
  'buf.gen.yaml',
  'generate.mjs',
  'generate-comments.mjs',
  'package.json',
];
/** JavaScript and types from the protos. */
export const contracts = step({
  ...{ name: 'contracts', label: 'generating contracts', output: at('proto', 'gen', 'grpc') },
  sources: () => PROTO.map((name) => at('proto', name)),
  work: ({ node, env }) => [node, ['generate.mjs'], { cwd: at('proto'), env }],
});

export const databaseClients = servicesWithSchema().map((service) => {
  const cwd = at('services', service);
  const schema = join(cwd, 'prisma', 'schema.prisma');
  const [, folder = ''] = /output\s*=\s*"([^"]+)"/.exec(readFileSync(schema, 'utf8')) ?? [];
  return step({
    ...{ name: `client-${service}`, label: `generating the database client of ${service}` },
    output: join(cwd, 'prisma', folder, 'client.ts'),
    sources: () => [schema, join(cwd, 'package.json')],
    // Prisma would download the schema engine, which generating doesn't need.
    work: ({ env }) => [
      join(cwd, 'node_modules', '.bin', 'prisma'),
      ['generate'],
      { cwd, env: { ...env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' } },
    ],
  });
});

/** The suppliers' guides, which the gateway serves. */
export const guides = step({
  ...{ name: 'guides', label: 'building the suppliers’ guides' },
  output: at('services', 'gateway', 'guides', 'script-hashes.json'),
  sources: () =>
    ['suppliers', 'openapi/v1.json', 'examples', 'webhook-test-vectors.json'].map((name) => at('docs', name)),
  work: ({ node, env }) => {
    const vitepress = at('docs', 'suppliers', 'node_modules', 'vitepress', 'bin', 'vitepress.js');
    return [node, [vitepress, 'build', at('docs', 'suppliers')], { cwd: root, env }];
  },
});

/** The application that the staff console serves. */
export const consolePages = step({
  ...{ name: 'console-pages', label: 'building the console' },
  output: at('services', 'console', 'dist', 'made-of.json'),
  sources: () => [
    at('services', 'console', 'web'),
    at('proto', 'gen', 'supplier'),
    at('services', 'console', 'package.json'),
  ],
  work: ({ node, env }) => {
    const cwd = at('services', 'console');
    const vite = join(cwd, 'node_modules', 'vite', 'bin', 'vite.js');
    return [node, [vite, 'build', 'web', '--configLoader', 'native', '--logLevel', 'warn'], { cwd, env }];
  },
});

/** A step that runs again when its sources or `key` change. `output` is what it writes last, `work` its command line. */
function step({ name, label, output, sources, work, key = [], before = () => {} }) {
  const stamp = join(setupState, `${name}.stamp`);
  const isDone = () =>
    existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(key, sources());
  return {
    isDone,
    async run(machine, { always = false } = {}) {
      if (!always && isDone()) return;
      const done = digest(key, sources());
      // A step that is interrupted runs again.
      rmSync(stamp, { force: true });
      console.log(`${label} …`);
      const start = Date.now();
      const [command, args, options] = work(machine);
      await Promise.all([before(), runProgram(label, command, args, { ...options, group: true })]);
      console.log(`${label}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
      mkdirSync(setupState, { recursive: true });
      writeFileSync(`${stamp}.${process.pid}`, done);
      renameSync(`${stamp}.${process.pid}`, stamp);
    },
  };
}

/** Returns a digest of the key, and of the paths and contents of files and folders. */
function digest(key, paths) {
  const hash = createHash('sha256').update(JSON.stringify(key));
  for (const path of paths.flatMap(filesUnder).sort())
    hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap(({ name }) => filesUnder(join(path, name)));
}
