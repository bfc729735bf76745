import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLockFile } from '../local/state/lock-file.mjs';
import { imageCache } from './base-images.ts';
import { type Engine, engineOf, OWN_PLATFORM } from './engine.ts';
import { digestOfSources, ofCommit } from './sources.ts';

/** Base images; the Dockerfile's own by default. */
export interface StartingImages {
  readonly build: string | undefined;
  readonly base: string | undefined;
}

export interface Built {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  /** Without the base image, which all images share. */
  readonly ownBytes: number;
  readonly layers: readonly string[];
}

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const MAX_OWN_BYTES = 120 * 1_048_576;

interface Wanted {
  readonly name: string;
  readonly tag: string;
  readonly bases: StartingImages;
  /** URL of the repository, for the label. */
  readonly source?: string | undefined;
  /** `linux/arm64`, …; this machine's by default. */
  readonly platform?: string | undefined;
  /** Ignores earlier builds of the same sources. */
  readonly afresh?: boolean;
}

/**
 * Calls `build` under the cache's lock, and cleans up the remains of builds before and after. Throws if another build
 * is running.
 */
export function whileBuilding<T>(name: 'podman' | 'docker', build: (engine: Engine, cache: string) => T): T {
  const cache = imageCache();
  mkdirSync(cache, { recursive: true });
  const lock = takeLockFile(join(cache, 'build.lock'));
  if (!('release' in lock)) throw new Error(`images are already being built in ${cache}`);
  const engine = engineOf(name, cache);
  // Ctrl-C ends the engine, so its call fails and its mounts are removed before this process ends.
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

/** Unmounts the remaining mounts of an interrupted engine. */
function unmountBelow(folder: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.reverse()) spawnSync('umount', ['--lazy', path], { stdio: 'ignore' });
}

/** Builds a target as `localhost/supplier-submissions-NAME:TAG`. Throws if it fails or the image is too large. */
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
    throw new Error(`image ${name} adds ${ownBytes} bytes to its base image: more than ${MAX_OWN_BYTES}`);
  return { name, tag, bytes, ownBytes, layers: engine.layersOf(tag) };
}

interface Made {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly date: number;
  readonly platform: string | undefined;
}

/** Returns the name under which the image of these sources, arguments and platform is kept. */
function keptName(checkout: string, { name, args, date, platform = OWN_PLATFORM }: Made): string | undefined {
  const sources = digestOfSources(checkout);
  if (sources === undefined) return undefined;
  const made = JSON.stringify([sources, platform, args, date]);
  return `localhost/supplier-kept-${name}:${createHash('sha256').update(made).digest('hex').slice(0, 12)}`;
}
