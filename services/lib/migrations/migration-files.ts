import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** One migration of a service, as its file says it. */
export interface Migration {
  /** The name of its directory; migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as `_prisma_migrations` keeps it. */
  readonly checksum: string;
  /** False for a file that begins with the line `-- no transaction`. */
  readonly inTransaction: boolean;
}

const NO_TRANSACTION = /^-- no transaction\r?\n/;

/** Reads `<serviceDir>/prisma/migrations/<name>/migration.sql`, ordered by name. */
export function readMigrations(serviceDir: URL): Migration[] {
  const dir = new URL('prisma/migrations/', serviceDir);
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(`${name}/migration.sql`, dir), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name, sql, checksum, inTransaction: !NO_TRANSACTION.test(sql) };
    });
}
