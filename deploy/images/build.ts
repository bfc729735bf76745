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

interface Wanted {
  readonly name: string;
  readonly tag: string;
  readonly bases: StartingImages;
  /** The label that says where the sources are kept. */
  readonly source?: string | undefined;
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

/** Builds one of the targets as `localhost/supplier-submissions-NAME:TAG`. Throws when the build fails. */
export function buildImage(
  engine: Engine,
  checkout: string,
  { name, tag: version, bases, source }: Wanted,
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
    date: Number(ofCommit(checkout, '%ct') ?? 0),
  });
  const bytes = engine.sizeOf(tag);
  const ownBytes = bases.base === undefined ? bytes : bytes - engine.sizeOf(bases.base);
  return { name, tag, bytes, ownBytes, layers: engine.layersOf(tag) };
}

function ofCommit(checkout: string, format: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['log', '-1', `--format=${format}`], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
