import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** Returns variables that keep caches in this checkout if the home folder can't be written; none if it can. */
export function cachesWithout(home) {
  try {
    accessSync(home, constants.W_OK);
    return {};
  } catch {
    const folder = join(root, '.run', 'cache');
    return { npm_config_cache: join(folder, 'npm'), XDG_CACHE_HOME: folder };
  }
}
