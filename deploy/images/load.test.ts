import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Loader, loadImages } from './load.ts';

const TAGS = ['localhost/supplier-submissions-gateway:dev', 'localhost/supplier-submissions-account:dev'];
const before = process.env.PATH;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-'));
});
afterEach(() => {
  process.env.PATH = before;
  rmSync(folder, { recursive: true });
});

/** Replaces a program of the machine: records its arguments, and the contents of the archive. */
function plays(name: string, ending = ''): void {
  const program = join(folder, name);
  const archive = '$(for word; do case $word in *.tar) cat "$word";; esac; done)';
  writeFileSync(
    program,
    `#!/bin/sh\necho "$*" > ${folder}/asked\necho "${archive}" > ${folder}/archive\n${ending}`,
  );
  chmodSync(program, 0o755);
  process.env.PATH = [folder, before].join(delimiter);
}
const noted = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
const engine = (name = 'podman') => ({
  name,
  save: (tags: readonly string[], file: string) => writeFileSync(file, tags.join(' ')),
});

it.each([
  ['kind', /^load image-archive \S+\/images\.tar --name leads$/],
  ['docker', /^load --input \S+\/images\.tar$/],
  ['podman', /^load --input \S+\/images\.tar$/],
] as const)(
  'loadImages loads every image into %s from one archive, which it deletes afterwards',
  (loader: Loader, asked) => {
    plays(loader);
    loadImages(engine(), TAGS, loader, 'leads');
    expect(noted('asked')).toMatch(asked);
    expect(noted('archive')).toBe(TAGS.join(' '));
    const file = noted('asked').match(/\S+\.tar/)?.[0] ?? '';
    expect(() => readFileSync(file)).toThrow('ENOENT');
  },
);

it('loadImages reports the program’s error, or that the program is missing', () => {
  plays('kind', 'echo "no nodes found for cluster leads" >&2; exit 1');
  expect(() => loadImages(engine(), TAGS, 'kind', 'leads')).toThrow(
    'kind failed to load the images: no nodes found for cluster leads',
  );
  rmSync(join(folder, 'kind'));
  process.env.PATH = folder;
  expect(() => loadImages(engine(), TAGS, 'kind', 'leads')).toThrow('cannot start kind: ');
});

it('loadImages loads nothing into docker, which already has the images it built', () => {
  process.env.PATH = folder;
  loadImages(engine('docker'), TAGS, 'docker', 'leads');
});
