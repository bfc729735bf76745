import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMigrations } from '@supplier/lib/migrations';
import pg from 'pg';
import { makeDatabases } from '../postgres/databases.ts';
import { servicesWithDatabase } from '../services/process-table.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { entityDiagram } from './entity-diagram.ts';
import { dumpSchema, statements } from './schema-dump.ts';
import { withThrowawayPostgres } from './throwaway-postgres.ts';

/** Tables that `services/lib` works with. A service gets them by its own copies of the migrations. */
const LIBRARY_TABLES = [
  { path: 'services/lib/outbox/outbox.sql', migrations: ['_outbox_by_day'] },
  { path: 'services/lib/event-bus/failed-events.sql', migrations: ['_failed_events'] },
  { path: 'services/lib/audit/audit.sql', migrations: ['_audit_trail'] },
  { path: 'services/lib/audit/audit-verification.sql', migrations: ['_audit_verification'] },
  { path: 'services/lib/approvals/approvals.sql', migrations: ['_approvals', '_approvals_of_whole_acts'] },
] as const;

export interface DatabaseDescriptions {
  /** What is to be committed: the text of each file by its path in the repository. */
  readonly files: ReadonlyMap<string, string>;
  /** Where services differ in what they have in common, or from the SQL that the library is tested with. */
  readonly differences: readonly string[];
}

/**
 * Applies every service's migrations to an empty PostgreSQL and describes what they made: `schema.sql` and an entity
 * diagram for each. `checkout` is the top folder of the repository.
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
      LIBRARY_TABLES.map(async ({ path }, index) => ({
        path,
        catalogue: await read(`library_${index}`, readFileSync(join(checkout, path), 'utf8')),
      })),
    );
    const files = new Map<string, string>();
    const differences = LIBRARY_TABLES.flatMap(({ migrations }) =>
      migrations.flatMap((ending) => differingCopies(checkout, ending)),
    );
    for (const service of servicesWithDatabase) {
      const serviceDir = pathToFileURL(`${join(checkout, 'services', service)}/`);
      await runMigrations({ databaseUrl: urls[service] ?? '', serviceDir });
      const catalogue = await read(service);
      files.set(`services/${service}/prisma/schema.sql`, schemaFile(catalogue));
      files.set(`docs/databases/${service}.md`, diagramPage(service, catalogue, library));
      differences.push(...library.flatMap((part) => differencesFrom(part, service, catalogue)));
    }
    return { files, differences };
  });
}

/** The copies of a migration that are not the first service's, byte for byte. */
function differingCopies(checkout: string, ending: string): string[] {
  const copies = servicesWithDatabase.flatMap((service) => {
    const migrations = join('services', service, 'prisma', 'migrations');
    return readdirSync(join(checkout, migrations))
      .filter((name) => name.endsWith(ending))
      .map((name) => join(migrations, name, 'migration.sql'));
  });
  const [first, ...others] = copies.map((path) => ({
    path,
    sql: readFileSync(join(checkout, path), 'utf8'),
  }));
  return others
    .filter(({ sql }) => sql !== first?.sql)
    .map(({ path }) => `${path} is no copy of ${first?.path}`);
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

interface LibraryPart {
  readonly path: string;
  readonly catalogue: Catalogue;
}

/** Only of the parts that the service has a table of. */
function differencesFrom({ path, catalogue }: LibraryPart, service: string, made: Catalogue): string[] {
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

function diagramPage(service: string, catalogue: Catalogue, library: readonly LibraryPart[]): string {
  const tables = new Set(catalogue.tables.map(({ name }) => name));
  const parts = library
    .map(({ path, catalogue: part }) => ({
      path,
      names: part.tables.map(({ name }) => name).filter((name) => tables.has(name)),
    }))
    .filter(({ names }) => names.length > 0);
  const shared = new Set(parts.flatMap(({ names }) => names));
  return [
    `# Database of the ${service} service`,
    '',
    `Written by \`npm run generate\` from the migrations; do not edit. Indexes, checks and triggers: [schema.sql](../../services/${service}/prisma/schema.sql).`,
    '',
    '```mermaid',
    entityDiagram(catalogue, shared),
    '```',
    '',
    'Tables that it has in common with other services:',
    '',
    ...parts.map(
      ({ path, names }) => `- ${names.map((name) => `\`${name}\``).join(', ')}: [${path}](../../${path})`,
    ),
    '',
  ].join('\n');
}
