import pg from 'pg';
import { ConfigError } from '../../runtime/config/index.ts';
import { NotReady } from '../../runtime/service-runtime/index.ts';

/** Settings of every session. Each statement uses an index, which a plan prepared for a small table would not. */
export const SESSION_SETTINGS = {
  // Prisma's adapter writes UTC without a zone, which PostgreSQL would otherwise read in the server's zone.
  TimeZone: 'UTC',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // By default the server would plan statements over sets again for each set, with the same result.
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const;

/** Settings that a role needs behind PgBouncer; 0 would be no limit. */
const ROLE_SETTINGS: Readonly<Record<string, string>> = {
  ...SESSION_SETTINGS,
  statement_timeout: '4s',
  idle_in_transaction_session_timeout: '10s',
};

/**
 * Splits Prisma's parameter `pgbouncer=true` from an address: PgBouncer in transaction mode is there. It gives each
 * transaction any session of the server, so a session's own settings and prepared statements would be lost.
 */
export function addressOf(databaseUrl: string): { readonly url: string; readonly isPooled: boolean } {
  const url = new URL(databaseUrl);
  const isPooled = url.searchParams.get('pgbouncer') === 'true';
  url.searchParams.delete('pgbouncer');
  return { url: isPooled ? url.href : databaseUrl, isPooled };
}

/** Returns the address for migrations. Throws a ConfigError for PgBouncer: they hold locks of a session. */
export function directAddress(databaseUrl: string): string {
  if (addressOf(databaseUrl).isPooled)
    throw new ConfigError(
      'migrate must connect to PostgreSQL directly, without PgBouncer and pgbouncer=true',
    );
  return databaseUrl;
}

/** Rejects with a NotReady that says what to run if the role lacks settings that PgBouncer doesn't pass on. */
export async function requireRoleSettings(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string; role: string }>(
    'SELECT name, current_setting(name) AS value, current_user AS role FROM unnest($1::text[]) AS u (name)',
    [Object.keys(ROLE_SETTINGS)],
  );
  const missing = rows.filter(({ name, value }) =>
    name.endsWith('_timeout') ? value === '0' : value !== ROLE_SETTINGS[name],
  );
  const [first] = missing;
  if (!first) return;
  const role = client.escapeIdentifier(first.role);
  const statements = missing.map(({ name }) => `ALTER ROLE ${role} SET ${name} = '${ROLE_SETTINGS[name]}';`);
  throw new NotReady(
    `role ${role} lacks settings. Run these statements, then RECONNECT in PgBouncer: ${statements.join(' ')}`,
  );
}

/** A client that prepares no statement on the server, because the next one may run in another session. */
export class UnnamedStatements extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    const query = (statement: unknown, ...rest: unknown[]) =>
      send(isNamed(statement) ? { ...statement, name: undefined } : statement, ...rest);
    Object.assign(this, { query });
  }
}

const isNamed = (statement: unknown): statement is pg.QueryConfig =>
  typeof statement === 'object' && statement !== null && 'name' in statement && !('submit' in statement);
