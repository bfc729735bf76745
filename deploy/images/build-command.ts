/** Command: `npm run images`. Builds every image with podman or docker, prints its size, and tries it. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBaseImages } from './base-images.ts';
import { type Built, buildImage, whileBuilding } from './build.ts';
import type { Engine } from './engine.ts';
import { imageTargets } from './targets.ts';
import { tryImages } from './try-images.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const MIB = 1_048_576;
/** What an image may add to the one that it starts from. */
const MAX_OWN_BYTES = 120 * MIB;

const say = (text: string) => console.error(text);

function build(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'podman' },
      debootstrap: { type: 'boolean', default: false },
      'build-image': { type: 'string' },
      'base-image': { type: 'string' },
      source: { type: 'string' },
      tag: { type: 'string', default: 'dev' },
      twice: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.engine !== 'podman' && values.engine !== 'docker')
    throw new Error(`--engine is podman or docker, not ${values.engine}`);
  const chosen = imageTargets.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (chosen.length === 0) throw new Error(`there is no image ${positionals.join(', ')}`);
  whileBuilding(values.engine, (engine, cache) => {
    if (values.debootstrap) say('the images to start from …');
    const bases = values.debootstrap
      ? makeBaseImages(engine, cache, process.execPath)
      : { build: values['build-image'], base: values['base-image'] };
    const buildAll = () =>
      chosen.map(({ name }) => {
        say(`building ${name} …`);
        return buildImage(engine, CHECKOUT, { name, tag: values.tag, bases, source: values.source });
      });
    const built = buildAll();
    if (values.twice) {
      engine.forget(built.map(({ tag }) => tag));
      say('once more from nothing …');
      compare(built, buildAll());
    }
    report(built, engine, bases.base, values.json);
    if (values.debootstrap) tryAll(engine, built);
  });
}

/** Throws unless the second build has the layers of the first. */
function compare(first: readonly Built[], second: readonly Built[]): void {
  const differ = first.filter(({ layers }, index) => `${layers}` !== `${second[index]?.layers}`);
  if (differ.length > 0)
    throw new Error(`a second build has other layers: ${differ.map(({ name }) => name).join(', ')}`);
  say('the second build has the same layers');
}

function report(built: readonly Built[], engine: Engine, base: string | undefined, json: boolean): void {
  if (json) console.log(JSON.stringify(built, null, 2));
  else for (const image of built) console.log(line(image));
  if (base !== undefined) {
    const layers = engine.layersOf(base);
    const apart = built.filter((image) => layers.some((layer, index) => image.layers[index] !== layer));
    if (apart.length > 0) throw new Error(`not on ${base}: ${apart.map(({ name }) => name).join(', ')}`);
    if (!json) console.log(`shared by all: ${mib(engine.sizeOf(base))} in ${layers.length} layer(s)`);
  }
  const large = base ? built.filter(({ ownBytes }) => ownBytes > MAX_OWN_BYTES) : [];
  if (large.length > 0)
    throw new Error(`over ${mib(MAX_OWN_BYTES)} of their own: ${large.map(({ name }) => name).join(', ')}`);
}

/** What an engine cannot run here can be run all the same: the files of the image, as the user of the image. */
function tryAll(engine: Engine, built: readonly Built[]): void {
  const folder = join(CHECKOUT, '.run', 'image-files');
  rmSync(folder, { recursive: true, force: true });
  try {
    for (const { name, tag } of built) engine.unpack(tag, join(folder, name));
    tryImages(CHECKOUT, folder, built.length === imageTargets.length, say);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
