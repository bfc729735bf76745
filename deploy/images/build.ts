import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLockFile } from '../local/state/lock-file.mjs';
import { imageCache } from './base-images.ts';
import { type Engine, engineOf, OWN_PLATFORM } from './engine.ts';
import { digestOfSources } from './sources.ts';

/** What the Dockerfile starts from; what is not given is its own default. */
export interface StartingImages {
  readonly build: string | undefined;
  readonly base: string | undefined;
}

export interface Built {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  /** Beyond the image that it starts from, whose layers all of them share. */
  readonly ownBytes: number;
  readonly layers: readonly string[];
}

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What an image may add to the one that it starts from. */
const MAX_OWN_BYTES = 120 * 1_048_576;

interface Wanted {
  readonly name: string;
  readonly tag: string;
  readonly bases: StartingImages;
  /** The label that says where the sources are kept. */
  readonly source?: string | undefined;
  /** `linux/arm64`, … ; the machine's own where it is not given. */
  readonly platform?: string | undefined;
  /** Built from nothing, even where the same sources were built before. */
  readonly afresh?: boolean;
}

/** Calls `build` while nobody else builds in the cache, and cleans up what builds left before and after. Throws if somebody does. */
export function whileBuilding<T>(name: 'podman' | 'docker', build: (engine: Engine, cache: string) => T): T {
  const cache = imageCache();
  mkdirSync(cache, { recursive: true });
  const lock = takeLockFile(join(cache, 'build.lock'));
  if (!('release' in lock)) throw new Error(`images are being built in ${cache} already`);
  const engine = engineOf(name, cache);
  // Ctrl-C ends the engine's program, whose call then fails: what it has mounted is unmounted before this process ends.
  const stay = () => {};
  for (const signal of STOPS) process.on(signal, stay);
  try {
    engine.forget([]);
    return build(engine, cache);
  } finally {
    engine.forget([]);
    if (name === 'podman') unmountBelow(cache);
    lock.release();
    for (const signal of STOPS) process.removeListener(signal, stay);
  }
}

/** Unmounts what an engine that was ended has left mounted in its folder; the deepest first. */
function unmountBelow(folder: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.reverse()) spawnSync('umount', ['--lazy', path], { stdio: 'ignore' });
}

/** Builds one of the targets as `localhost/supplier-submissions-NAME:TAG`. Throws when that fails, or when it is too large. */
export function buildImage(
  engine: Engine,
  checkout: string,
  { name, tag: version, bases, source, platform, afresh = false }: Wanted,
): Built {
  const tag = `localhost/supplier-submissions-${name}:${version}`;
  const args = {
    ...(bases.build === undefined ? {} : { BUILD_IMAGE: bases.build }),
    ...(bases.base === undefined ? {} : { BASE_IMAGE: bases.base }),
    ...(source === undefined ? {} : { SOURCE: source }),
    VERSION: JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version as string,
    REVISION: ofCommit(checkout, '%H') ?? 'unknown',
  };
  const date = Number(ofCommit(checkout, '%ct') ?? 0);
  const kept = afresh ? undefined : keptName(checkout, { name, args, date, platform });
  if (kept !== undefined && engine.name === 'podman' && engine.has(kept)) engine.addName(kept, tag);
  else {
    engine.build({
      ...{ target: name, tag, args, context: checkout, file: join(checkout, 'deploy/Dockerfile') },
      ...{ date, platform },
    });
    if (kept !== undefined && engine.name === 'podman') engine.keepOnly(tag, kept);
  }
  const bytes = engine.sizeOf(tag);
  const ownBytes = bases.base === undefined ? bytes : bytes - engine.sizeOf(bases.base);
  if (bases.base !== undefined && ownBytes > MAX_OWN_BYTES)
    throw new Error(
      `image ${name} adds ${ownBytes} bytes to what it starts from: more than ${MAX_OWN_BYTES}`,
    );
  return { name, tag, bytes, ownBytes, layers: engine.layersOf(tag) };
}

interface Made {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly date: number;
  readonly platform: string | undefined;
}

/** The name under which an image is kept that the same sources, arguments and platform would give again. */
function keptName(checkout: string, { name, args, date, platform = OWN_PLATFORM }: Made): string | undefined {
  const sources = digestOfSources(checkout);
  if (sources === undefined) return undefined;
  const made = JSON.stringify([sources, platform, args, date]);
  return `localhost/supplier-kept-${name}:${createHash('sha256').update(made).digest('hex').slice(0, 12)}`;
}

/** What git says of the commit that is checked out; undefined where git keeps nothing of it. */
export function ofCommit(checkout: string, format: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['log', '-1', `--format=${format}`], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
