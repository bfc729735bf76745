import { FLAG, print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, postgresUrl, readCommandEnvironment, text } from '../../runtime/config/index.ts';
import { explained } from '../postgres/index.ts';
import type { GrantState } from './grants.ts';
import { MigrationError, type MigrationState } from './history.ts';
import { migrationStates, revokeFromRuntime, runMigrations, runtimeGrants } from './run-migrations.ts';

export { checkGrants } from './check-grants.ts';
export { type GrantState, type Grants, grantStates, readGrants } from './grants.ts';
export { type AppliedMigration, MigrationError, type MigrationState } from './history.ts';
export { migrationNames } from './migration-files.ts';
export {
  migrationStates,
  type RunOptions,
  revokeFromRuntime,
  runMigrations,
  runtimeGrants,
} from './run-migrations.ts';

const usage = (variable: string) => `usage: migrate [--status | --revoke-undeclared]
  Applies the missing migrations to the database of ${variable}, and prints a line for each. Waits up to 60 s for another
  run, or an hour while that run builds an index. Waits up to 2 minutes for tables in use, 500 ms at a time. Then grants
  the role in ${ROLE}, if set, the privileges that the service needs. Revokes nothing.
  --status             only lists each migration with its state, and the runtime role's missing and superfluous
                       privileges. Exits with 1 unless everything is applied and granted. The runtime role may run it
  --revoke-undeclared  only revokes privileges that this version does not declare. Run it when no process of another
                       release is running`;

/** Runs a service's command: `node services/<service>/src/migrate.ts [--status | --revoke-undeclared]`. */
export function runMigrateCommand(
  service: string,
  serviceDir: URL,
  variable: DatabaseVariable = 'SSS_DATABASE_URL',
): void {
  const flags = { status: FLAG, 'revoke-undeclared': FLAG };
  runCommand(`${service}-migrate`, { usage: usage(variable), flags }, async (values) => {
    const { status, 'revoke-undeclared': revoke } = values;
    if (status && revoke) throw new ConfigError(usage(variable));
    const env: Readonly<Record<string, unknown>> = readCommandEnvironment(migrateVariables(variable));
    const role = env[ROLE];
    const database = {
      databaseUrl: String(env[variable]),
      serviceDir,
      ...(role === undefined ? {} : { runtimeRole: String(role) }),
    };
    if (status) return showStatus(database);
    const report = (line: string) => print(`${service}: ${line}`);
    if (revoke) {
      if (role === undefined)
        throw new ConfigError(`${ROLE} is missing: set it to the role whose privileges to revoke`);
      return revokeFromRuntime({ ...database, runtimeRole: String(role), report });
    }
    const applied = await runMigrations({ ...database, report });
    if (applied.length === 0) report('nothing to apply');
  });
}

type DatabaseVariable = 'SSS_DATABASE_URL' | 'SSS_LIMITS_DATABASE_URL' | 'SSS_SESSIONS_DATABASE_URL';

export const migrateVariables = (variable: DatabaseVariable) => ({
  [variable]: postgresUrl(),
  [ROLE]: text().optional(),
});

async function showStatus(database: Parameters<typeof runtimeGrants>[0]): Promise<void> {
  try {
    const migrations = await migrationStates(database);
    const grants = await runtimeGrants(database);
    for (const state of migrations) print(lineOf(state));
    for (const state of grants) print(grantLineOf(state));
    if (!isUpToDate(migrations, grants)) process.exit(1);
  } catch (error) {
    // A waiting script calls this repeatedly and prints only new lines, so the line must not contain the time.
    if (error instanceof MigrationError) print(error.message);
    // The runtime role, on a database that has not been migrated yet.
    else if ((error as { code?: unknown }).code === '42501')
      print(explained(error, database.databaseUrl).message);
    else throw error;
    process.exit(1);
  }
}

const ROLE = 'SSS_RUNTIME_ROLE';

/** Migrations and grants that only another version knows do not count as outdated. */
const isUpToDate = (migrations: readonly MigrationState[], grants: readonly GrantState[]) =>
  migrations.every(({ state }) => state === 'applied' || state === 'unknown') &&
  grants.every(({ state }) => state !== 'lacking');

const lineOf = ({ name, state, at }: MigrationState) =>
  `${state.padEnd(10)} ${(at?.toISOString() ?? '').padEnd(24)} ${name}`;

const grantLineOf = ({ table, state, privileges, superfluous }: GrantState) =>
  `${state.padEnd(10)} ${table}: ${privileges || 'nothing'}${superfluous ? `; superfluous: ${superfluous}` : ''}`;
