import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from './build.ts';
import type { Engine } from './engine.ts';

let checkout: string;
let built: string[];
/** Image ids by name. */
let images: Map<string, string>;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'image-sources-'));
  built = [];
  images = new Map();
  mkdirSync(join(checkout, 'deploy'));
  writeFileSync(join(checkout, 'package.json'), '{"version":"1.0.0"}');
  writeFileSync(join(checkout, '.gitignore'), 'ignored\n');
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@x.example', 'commit', '--quiet', '--message', 'first');
});
afterEach(() => rmSync(checkout, { recursive: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, stdio: 'ignore' });

/** Builds nothing: an image is just a number. */
const engine = (name = 'podman') =>
  ({
    name,
    build({ tag, platform }) {
      built.push(`${tag} ${platform ?? ''}`.trim());
      images.set(tag, String(built.length));
    },
    has: (tag) => images.has(tag),
    addName: (tag, also) => void images.set(also, images.get(tag) ?? ''),
    keepOnly: (tag, kept) => void images.set(kept, images.get(tag) ?? ''),
    sizeOf: () => 1,
    layersOf: (tag) => [images.get(tag) ?? ''],
  }) as Partial<Engine> as Engine;
const BASES = { build: 'localhost/build:1', base: 'localhost/base:1' };
const build = (other: object = {}, by = engine()) =>
  buildImage(by, checkout, { name: 'gateway', tag: 'dev', bases: BASES, ...other });

it('buildImage builds the same sources once, and then adds the other name', () => {
  const first = build();
  const second = build({
    tag: '1.0.0-linux-amd64',
    platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  });
  expect(built).toEqual(['localhost/supplier-submissions-gateway:dev']);
  expect(second.tag).toBe('localhost/supplier-submissions-gateway:1.0.0-linux-amd64');
  expect(second.layers).toEqual(first.layers);
});

it.each([
  [
    'a file was changed and not committed',
    () => writeFileSync(join(checkout, 'package.json'), '{"version":"1.0.1"}'),
  ],
  ['a file was added and not committed', () => writeFileSync(join(checkout, 'added'), '')],
  ['a file was deleted', () => rmSync(join(checkout, '.gitignore'))],
])('buildImage builds again when %s', (_, change) => {
  build();
  change();
  build();
  expect(built).toHaveLength(2);
});

it.each([
  ['another image', { name: 'account' }],
  ['another base', { bases: { ...BASES, base: 'localhost/base:2' } }],
  ['another platform', { platform: 'linux/riscv64' }],
  ['an image from scratch', { afresh: true }],
])('buildImage builds %s separately', (_, other) => {
  build();
  build(other);
  expect(built).toHaveLength(2);
});

it('buildImage ignores files that git ignores', () => {
  build();
  writeFileSync(join(checkout, 'ignored'), 'x');
  build();
  expect(built).toHaveLength(1);
});

it('buildImage always builds with docker, whose builder has its own cache', () => {
  for (const _ of [1, 2]) build({}, engine('docker'));
  expect(built).toHaveLength(2);
});
