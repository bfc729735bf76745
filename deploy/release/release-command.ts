/** Command: `npm run release`. One step of a release each; .github/workflows/release.yml calls them in their order. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { imageCache, makeBaseImages } from '../images/base-images.ts';
import { whileBuilding } from '../images/build.ts';
import { ofCommit } from '../images/sources.ts';
import { helm } from '../programs/tools.ts';
import { notesOf } from './changelog.ts';
import { type PushedRelease, packageChart, pushChart } from './chart.ts';
import { dirtyTree, factsOf, notIn, refusalsOf } from './check.ts';
import { pushImages } from './push.ts';
import { type Registry, registryFrom } from './registry.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const STEPS = { check, notes, push, chart };

const { values, positionals } = parseFlags();
const facts = factsOf(CHECKOUT);
const folder = resolve(CHECKOUT, values.out);

function parseFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        tag: { type: 'string' },
        branch: { type: 'string' },
        registry: { type: 'string' },
        source: { type: 'string' },
        platform: { type: 'string', multiple: true, default: ['linux/amd64', 'linux/arm64'] },
        debootstrap: { type: 'boolean', default: false },
        'plain-http': { type: 'boolean', default: false },
        trial: { type: 'boolean', default: false },
        out: { type: 'string', default: join('.run', 'release') },
      },
    });
  } catch (error) {
    return refuse([`${error instanceof Error ? error.message : error}; see npm run release -- --help`]);
  }
}

function check(): void {
  const tag = values.tag ?? `v${facts.version}`;
  const wrong = [...refusalsOf(facts, tag), ...(values.branch ? notIn(CHECKOUT, values.branch) : [])];
  if (wrong.length > 0) refuse(wrong);
  console.log(facts.version);
}

function notes(): void {
  process.stdout.write(notesOf(facts.changelog, facts.version, required('source')));
}

function push(): void {
  const registry = whereTo();
  const bases = values.debootstrap
    ? whileBuilding('podman', (engine) => makeBaseImages(engine, imageCache(), process.execPath))
    : { build: undefined, base: undefined };
  const { version } = facts;
  const pushed = pushImages(CHECKOUT, {
    ...{ registry, version, platforms: values.platform, bases, source: values.source, folder },
    ...{ plainHttp: values['plain-http'], trial: values.trial, say: (text: string) => console.error(text) },
  });
  for (const { image, digest } of pushed.images) console.log(`${image}:${version}@${digest}`);
}

async function chart(): Promise<void> {
  const registry = whereTo();
  const pushed = JSON.parse(readIfThere(join(folder, 'images.json'))) as PushedRelease;
  const program = await helm[4].obtain();
  const { version } = facts;
  const revision = ofCommit(CHECKOUT, '%H') ?? 'unknown';
  const file = packageChart(CHECKOUT, program, { registry, version, revision, pushed, folder });
  const made = pushChart(program, file, { registry, version, plainHttp: values['plain-http'] });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'chart.json'), `${JSON.stringify(made, undefined, 2)}\n`);
  console.log(`${made.chart}:${version}@${made.digest}`);
}

/** The registry to push to. Refuses uncommitted changes, except in a trial. */
function whereTo(): Registry {
  if (!values.trial) refuseAny(dirtyTree(facts));
  return registryFrom(required('registry'));
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return refuse([`${file} does not exist: run npm run release -- push first`]);
  }
}

function required(flag: 'registry' | 'source'): string {
  return values[flag] || refuse([`--${flag} is missing; see npm run release -- --help`]);
}

function refuseAny(wrong: readonly string[]): void {
  if (wrong.length > 0) refuse(wrong);
}

function refuse(wrong: readonly string[]): never {
  for (const text of wrong) console.error(`refused: ${text}`);
  process.exit(1);
}

try {
  const [step = '', ...further] = positionals;
  if (!Object.hasOwn(STEPS, step) || further.length > 0)
    refuse([
      `"${positionals.join(' ')}" is not a step: use one of ${Object.keys(STEPS).join(', ')}; see npm run release -- --help`,
    ]);
  await STEPS[step as keyof typeof STEPS]();
} catch (error) {
  refuse([error instanceof Error ? error.message : String(error)]);
}
