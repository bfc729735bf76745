import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMigrations } from '@supplier/lib/data/migrations';
import pg from 'pg';
import { makeDatabases } from '../../local/postgres/databases.ts';
import { servicesWithDatabase } from '../../local/services/process-table.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { dumpSchema, statements } from './schema-dump.ts';
import { withThrowawayPostgres } from './throwaway-postgres.ts';

/** Tables that `services/lib` uses. A service that has one of a file's tables has all of them, created in the same way. */
const LIBRARY_TABLES = [
  'services/lib/events/outbox/outbox.sql',
  'services/lib/events/event-bus/failed-events.sql',
  'services/lib/data/key-rotation/keys-in-use.sql',
  'services/lib/governance/audit/audit.sql',
  'services/lib/governance/audit/audit-verification.sql',
  'services/lib/governance/approvals/approvals.sql',
  'services/lib/rpc/idempotency/idempotency.sql',
] as const;

export interface DatabaseDescriptions {
  /** The files to commit: text by path in the repository. */
  readonly files: ReadonlyMap<string, string>;
  /** Differences between the services in their common tables, or from the SQL that the library is tested with. */
  readonly differences: readonly string[];
}

/** Returns every migration with its copies of SQL from `services/lib`, by path in the repository. */
export function migrationsWithSharedSql(checkout: string): ReadonlyMap<string, string> {
  const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
  const paths = globSync('services/*/prisma/migrations/*/migration.sql', { cwd: checkout });
  const shared = new Map(LIBRARY_TABLES.map((path) => [basename(path), read(path)]));
  return new Map(
    paths.sort().map((path) => [path, withSharedSql(read(path), (file) => shared.get(file) ?? '')]),
  );
}

/**
 * Fills the parts of a migration that come from `services/lib`: replaces the text between the comments `-- begin FILE`
 * and `-- end FILE` with the text of that file. A published migration has no such comments, so it never changes.
 */
function withSharedSql(migration: string, read: (file: string) => string): string {
  const part = /^(-- begin (\S+\.sql)\n)[\s\S]*?^(-- end \2)$/gm;
  return migration.replace(part, (_, begin: string, file: string, end: string) => begin + read(file) + end);
}

/**
 * Applies every service's migrations to an empty PostgreSQL and describes the results, in one `schema.sql` each.
 * `checkout` is the top folder of the repository.
 */
export async function describeDatabases(
  checkout: string,
  warn: (line: string) => void,
): Promise<DatabaseDescriptions> {
  return withThrowawayPostgres(checkout, warn, async (url) => {
    const databases = [...servicesWithDatabase, ...LIBRARY_TABLES.map((_, index) => `library_${index}`)];
    const urls = await makeDatabases(url('postgres'), databases);
    const read = (database: string, sql?: string) => catalogueOf(urls[database] ?? '', sql);

    const library = await Promise.all(
      LIBRARY_TABLES.map(async (path, index) => ({
        path,
        catalogue: await read(`library_${index}`, readFileSync(join(checkout, path), 'utf8')),
      })),
    );
    const files = new Map<string, string>();
    const differences: string[] = [];
    for (const service of servicesWithDatabase) {
      const serviceDir = pathToFileURL(`${join(checkout, 'services', service)}/`);
      await runMigrations({ databaseUrl: urls[service] ?? '', serviceDir });
      const catalogue = await read(service);
      files.set(`services/${service}/prisma/schema.sql`, schemaFile(catalogue));
      differences.push(...library.flatMap((part) => differencesFrom(part, service, catalogue)));
    }
    return { files, differences };
  });
}

async function catalogueOf(connectionString: string, sql?: string): Promise<Catalogue> {
  const session = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await session.connect();
  try {
    if (sql !== undefined) await session.query(sql);
    return await readCatalogue(session);
  } finally {
    await session.end();
  }
}

/** Compares only the parts that have a table in the service. */
function differencesFrom(
  { path, catalogue }: { path: string; catalogue: Catalogue },
  service: string,
  made: Catalogue,
): string[] {
  const tables = new Set(made.tables.map(({ name }) => name));
  if (!catalogue.tables.some(({ name }) => tables.has(name))) return [];
  const found = statements(made);
  return [...statements(catalogue)]
    .filter(([thing, sql]) => found.get(thing) !== sql)
    .map(([thing]) => `services/${service}: its migrations make another ${thing} than ${path}`);
}

const schemaFile = (catalogue: Catalogue) =>
  [
    '-- What the migrations of this service make. Written by `npm run generate`; do not edit.',
    '-- Tables partitioned by day have their default partition here; those of the days come and go.',
    '',
    dumpSchema(catalogue),
  ].join('\n');
