/** Command: `npm run images`. Builds every image with podman or docker, and prints its size. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../local/terminal.ts';
import { makeBaseImages } from './base-images.ts';
import { type Built, buildImage, whileBuilding } from './build.ts';
import type { Engine } from './engine.ts';
import { type Loader, loaders, loadImages } from './load.ts';
import { everyTarget } from './targets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const MIB = 1_048_576;

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
      load: { type: 'string' },
      cluster: { type: 'string', default: 'leads' },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.engine !== 'podman' && values.engine !== 'docker')
    throw new Error(`--engine must be podman or docker, not ${values.engine}`);
  const loader = loaders.find((name) => name === values.load);
  if (values.load !== undefined && loader === undefined)
    throw new Error(`--load must be one of ${loaders.join(', ')}, not ${values.load}`);
  const chosen = everyTarget.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (chosen.length === 0) throw new Error(`unknown image ${positionals.join(', ')}`);
  whileBuilding(values.engine, (engine, cache) => {
    if (values.debootstrap) say('building base images …');
    const bases = values.debootstrap
      ? makeBaseImages(engine, cache, process.execPath)
      : { build: values['build-image'], base: values['base-image'] };
    const buildAll = () =>
      chosen.map(({ name }) => {
        say(`building ${name} …`);
        const { tag, source, twice } = values;
        return buildImage(engine, CHECKOUT, { name, tag, bases, source, afresh: twice });
      });
    const built = buildAll();
    if (values.twice) {
      engine.forget(built.map(({ tag }) => tag));
      say('building everything again from scratch …');
      compare(built, buildAll());
    }
    report(built, engine, bases.base, values.json);
    if (loader !== undefined) load(engine, built, loader, values.cluster);
  });
}

function load(engine: Engine, built: readonly Built[], loader: Loader, cluster: string): void {
  say(`loading into ${loader} …`);
  loadImages(
    engine,
    built.map(({ tag }) => tag),
    loader,
    cluster,
  );
}

/** Throws if the second build's layers differ from the first's. */
function compare(first: readonly Built[], second: readonly Built[]): void {
  const differ = first.filter(({ layers }, index) => `${layers}` !== `${second[index]?.layers}`);
  if (differ.length > 0)
    throw new Error(`a second build has different layers: ${differ.map(({ name }) => name).join(', ')}`);
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
}

const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;
const line = ({ name, tag, bytes, ownBytes }: Built) =>
  `${name.padEnd(12)}${mib(bytes).padStart(10)}  ${mib(ownBytes).padStart(9)} of its own  ${tag}`;

await runCommand(build);
