import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface Migration {
  /** The name of its directory. Migrations are applied in name order. */
  readonly name: string;
  readonly sql: string;
  /** The SHA-256 of the file in hexadecimal, as `_prisma_migrations` stores it. */
  readonly checksum: string;
  /** False for a file that starts with the line `-- no transaction`. */
  readonly inTransaction: boolean;
  /** The index, if the migration only builds or drops one concurrently. */
  readonly index?: { readonly action: 'create' | 'drop'; readonly name: string };
}

const NO_TRANSACTION = /^-- no transaction\r?\n/;
const INDEX =
  /^(?:(?<create>CREATE(?: UNIQUE)?)|DROP) INDEX CONCURRENTLY (?:IF (?:NOT )?EXISTS )?(?:"(?<quoted>[^"]+)"|(?<plain>\w+))[\s;]/i;

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
      const inTransaction = !NO_TRANSACTION.test(sql);
      const index = inTransaction ? undefined : indexOf(sql);
      return { name, sql, checksum, inTransaction, ...(index ? { index } : {}) };
    });
}

export const migrationNames = (serviceDir: URL): string[] =>
  readMigrations(serviceDir).map(({ name }) => name);

function indexOf(sql: string): Migration['index'] {
  const statement = sql
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const { create, quoted, plain } = INDEX.exec(`${statement};`)?.groups ?? {};
  const name = quoted ?? plain?.toLowerCase();
  return name === undefined ? undefined : { action: create ? 'create' : 'drop', name };
}
