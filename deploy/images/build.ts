import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLockFile } from '../local/state/lock-file.ts';
import { imageCache } from './base-images.ts';
import { type Engine, engineOf } from './engine.ts';

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
}

/**
 * Calls `build` with the engine while nobody else builds in its cache, which is empty of what builds left before and after.
 * Throws when somebody does.
 */
export function whileBuilding<T>(name: 'podman' | 'docker', build: (engine: Engine, cache: string) => T): T {
  const cache = imageCache();
  mkdirSync(cache, { recursive: true });
  const lock = takeLockFile(join(cache, 'build.lock'));
  if (!('release' in lock)) throw new Error(`images are being built in ${cache} already`);
  const engine = engineOf(name, cache);
  try {
    engine.forget([]);
    return build(engine, cache);
  } finally {
    engine.forget([]);
    lock.release();
  }
}

/** Builds one of the targets as `localhost/supplier-submissions-NAME:TAG`. Throws when that fails, or when it is too large. */
export function buildImage(
  engine: Engine,
  checkout: string,
  { name, tag: version, bases, source, platform }: Wanted,
): Built {
  const tag = `localhost/supplier-submissions-${name}:${version}`;
  const args = {
    ...(bases.build === undefined ? {} : { BUILD_IMAGE: bases.build }),
    ...(bases.base === undefined ? {} : { BASE_IMAGE: bases.base }),
    ...(source === undefined ? {} : { SOURCE: source }),
    VERSION: JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version as string,
    REVISION: ofCommit(checkout, '%H') ?? 'unknown',
  };
  engine.build({
    ...{ target: name, tag, args, context: checkout, file: join(checkout, 'deploy/Dockerfile') },
    ...{ date: Number(ofCommit(checkout, '%ct') ?? 0), platform },
  });
  const bytes = engine.sizeOf(tag);
  const ownBytes = bases.base === undefined ? bytes : bytes - engine.sizeOf(bases.base);
  if (bases.base !== undefined && ownBytes > MAX_OWN_BYTES)
    throw new Error(
      `image ${name} adds ${ownBytes} bytes to what it starts from: more than ${MAX_OWN_BYTES}`,
    );
  return { name, tag, bytes, ownBytes, layers: engine.layersOf(tag) };
}

/** What git says of the commit that is checked out; undefined where git keeps nothing of it. */
export function ofCommit(checkout: string, format: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['log', '-1', `--format=${format}`], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
