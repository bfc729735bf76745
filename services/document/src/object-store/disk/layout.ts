import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Area } from '../object-store.ts';

export const AREAS = ['incoming', 'held', 'clean'] as const satisfies readonly Area[];

/** Keys are random hexadecimal digits. Nothing else ever becomes part of a path. */
export const KEY = /^[0-9a-f]{16,128}$/;

/**
 * Where things lie below the folder of the store: `<area>/<first two digits>/<key>`, and `temporary/` for what is being
 * written. All of it is one file system: links and renames never cross.
 */
export interface Layout {
  readonly root: string;
  readonly temporary: string;
  area(area: Area): string;
  shard(area: Area, key: string): string;
  object(area: Area, key: string): string;
  newTemporary(): string;
}

/** The layout below `root`. Its methods throw when a key is not one. */
export function layoutOf(root: string): Layout {
  const temporary = join(root, 'temporary');
  const shard = (area: Area, key: string) => join(root, area, checked(key).slice(0, 2));
  return {
    root,
    temporary,
    area: (area) => join(root, area),
    shard,
    object: (area, key) => join(shard(area, key), key),
    newTemporary: () => join(temporary, randomBytes(16).toString('hex')),
  };
}

function checked(key: string): string {
  if (!KEY.test(key)) throw new Error('not the key of an object');
  return key;
}
