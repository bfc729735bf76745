import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cachesWithout } from './caches.mjs';

it('caches are in the checkout only if the home folder cannot be written', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  expect(cachesWithout(home)).toEqual({});
  rmdirSync(home);
  const cache = resolve(import.meta.dirname, '../../../.run/cache');
  expect(cachesWithout(home)).toEqual({ npm_config_cache: join(cache, 'npm'), XDG_CACHE_HOME: cache });
});
