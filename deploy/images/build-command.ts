/** Command: `npm run images`. Builds every image with podman or docker, prints its size, and tries it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBaseImages } from './base-images.ts';
import { type Engine, engineOf } from './engine.ts';
import { imageTargets } from './targets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
/** A process without settings ends with this code (sysexits.h) and says which ones it lacks. */
const EXIT_CONFIG = 78;
const NOBODY = '65532:65532';
const MIB = 1_048_576;

/** What the Dockerfile starts from; what is not given is its own default. */
interface StartingImages {
  readonly build: string | undefined;
  readonly base: string | undefined;
}

interface Built {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  /** Beyond the image that it starts from, whose layers all of them share. */
  readonly ownBytes: number;
}

function build(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'podman' },
      debootstrap: { type: 'boolean', default: false },
      'build-image': { type: 'string' },
      'base-image': { type: 'string' },
      tag: { type: 'string', default: 'dev' },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.engine !== 'podman' && values.engine !== 'docker')
    throw new Error(`--engine is podman or docker, not ${values.engine}`);
  const folder = join(CHECKOUT, '.run', 'image-build');
  const engine = engineOf(values.engine, folder);
  mkdirSync(folder, { recursive: true });
  const say = (text: string) => console.error(text);
  if (values.debootstrap) say('making the images to start from …');
  const bases = values.debootstrap
    ? makeBaseImages(engine, folder, process.execPath)
    : { build: values['build-image'], base: values['base-image'] };
  const chosen = imageTargets.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (chosen.length === 0) throw new Error(`there is no image ${positionals.join(', ')}`);
  const built = chosen.map(({ name }) => {
    say(`building ${name} …`);
    return buildOne(engine, name, values.tag, bases);
  });
  // What podman cannot run here can be run all the same: the files of the image, as the user of the image.
  if (values.debootstrap)
    for (const { name, tag } of built) tryEntry(engine, name, tag, join(folder, 'files', name));
  if (values.json) console.log(JSON.stringify(built, null, 2));
  else for (const image of built) console.log(line(image));
}

function buildOne(engine: Engine, name: string, version: string, bases: StartingImages): Built {
  const tag = `localhost/supplier-submissions-${name}:${version}`;
  const args = {
    ...(bases.build === undefined ? {} : { BUILD_IMAGE: bases.build }),
    ...(bases.base === undefined ? {} : { BASE_IMAGE: bases.base }),
    VERSION: JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')).version as string,
    REVISION: revision(),
  };
  engine.build({ target: name, tag, args, checkout: CHECKOUT });
  const bytes = engine.sizeOf(tag);
  return { name, tag, bytes, ownBytes: bases.base === undefined ? bytes : bytes - engine.sizeOf(bases.base) };
}

function revision(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: CHECKOUT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

/** Starts the entry in the image's own files, as the image's user. Throws unless it ends for the lack of settings. */
function tryEntry(engine: Engine, name: string, tag: string, files: string): void {
  rmSync(files, { recursive: true, force: true });
  engine.unpack(tag, files);
  const entry = ['/usr/local/bin/node', '--disable-warning=ExperimentalWarning', '/app/src/main.mjs'];
  const { status, stderr } = spawnSync('chroot', [`--userspec=${NOBODY}`, files, ...entry], {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  if (status !== EXIT_CONFIG || !stderr.includes('bad configuration'))
    throw new Error(`image ${name} failed: its entry ended with exit code ${status}: ${stderr.trim()}`);
  const shells = execFileSync('find', [files, '-name', 'sh', '-o', '-name', 'npm', '-o', '-name', 'apt*'], {
    encoding: 'utf8',
  });
  if (shells !== '')
    throw new Error(`image ${name} failed: shell or package manager found: ${shells.trim()}`);
}

const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;
const line = ({ name, tag, bytes, ownBytes }: Built) =>
  `${name.padEnd(12)}${mib(bytes).padStart(10)}  ${mib(ownBytes).padStart(9)} of its own  ${tag}`;

try {
  build();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
