import { createHash } from 'node:crypto';
import pg from 'pg';
import { readGrants, runMigrations } from '../data/migrations/index.ts';
import { readMigrations } from '../data/migrations/migration-files.ts';

/** When many test files start together, only one makes the template. */
const TEMPLATE_LOCK = 72_707_370;

/** A role like those of services, for all tests on a server. It owns nothing, so it need not be removed. */
export const RUNTIME_ROLE = { username: 'test_runtime', password: 'test_runtime' };

/**
 * Creates a database of this name with the migrations of `serviceDir` and their grants to {@link RUNTIME_ROLE}. The
 * first test to need them applies them to a template that all others copy; otherwise about a hundred files would spend
 * a second each on the same work.
 */
export async function createFromTemplate(server: string, name: string, serviceDir: URL): Promise<void> {
  const template = templateName(serviceDir);
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 0) await makeTemplate(admin, server, template, serviceDir);
    // Copying the files takes half as long as logging every page.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  } finally {
    // Also releases the lock.
    await admin.end();
  }
}

/** Builds the template under another name until it is complete, so that a killed process leaves no partial template. */
async function makeTemplate(
  admin: pg.Client,
  server: string,
  template: string,
  serviceDir: URL,
): Promise<void> {
  const { username, password } = RUNTIME_ROLE;
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [username]);
  if (rowCount === 0) await admin.query(`CREATE ROLE ${username} LOGIN PASSWORD '${password}'`);
  const unfinished = `${template}_unfinished`;
  await admin.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${unfinished}`);
  const databaseUrl = Object.assign(new URL(server), { pathname: unfinished }).href;
  await runMigrations({ databaseUrl, serviceDir, runtimeRole: username });
  await admin.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
}

/**
 * Derives the name from everything that determines the content: the migrations, the grants, and the day, whose
 * partitions it contains.
 */
function templateName(serviceDir: URL): string {
  const parts = [
    new Date().toISOString().slice(0, 10),
    readGrants(serviceDir),
    ...readMigrations(serviceDir).map(({ name, checksum }) => `${name} ${checksum}`),
  ];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `test_template_${digest.slice(0, 16)}`;
}
