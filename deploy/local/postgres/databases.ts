import { createHmac } from 'node:crypto';
import pg from 'pg';

const CONNECT_MS = 2_000;

/** Returns whether the server answers a query now. */
export async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A service's database: its owner migrates it, the runtime role uses it. */
export interface LocalDatabase {
  readonly ownerUrl: string;
  readonly runtimeUrl: string;
  readonly runtimeRole: string;
}

/**
 * Creates a database for each service, owned by a role of the same name that can't access any other service's; with
 * `runtimeRoles`, also a second role for each that owns nothing. Existing ones are unchanged.
 */
export async function makeDatabases(
  superuserUrl: string,
  services: readonly string[],
  { runtimeRoles }: { runtimeRoles: boolean } = { runtimeRoles: false },
): Promise<Record<string, LocalDatabase>> {
  const runtimeRoleOf = (service: string) => (runtimeRoles ? `${service}_runtime` : service);
  const client = new pg.Client({ connectionString: superuserUrl, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    for (const service of services) {
      for (const role of new Set([service, runtimeRoleOf(service)]))
        await makeRole(client, role, passwordOf(superuserUrl, role));
      await makeDatabase(client, service);
    }
    // Everyone may connect to these by default.
    await client.query('revoke connect on database postgres, template1 from public');
  } finally {
    await client.end();
  }
  const databases = services.map((service) => {
    const runtimeRole = runtimeRoleOf(service);
    const ownerUrl = urlOf(superuserUrl, service, service);
    return [service, { ownerUrl, runtimeUrl: urlOf(superuserUrl, service, runtimeRole), runtimeRole }];
  });
  return Object.fromEntries(databases);
}

async function makeDatabase(client: pg.Client, service: string): Promise<void> {
  const name = client.escapeIdentifier(service);
  const database = await client.query('select 1 from pg_database where datname = $1', [service]);
  if (database.rowCount === 0) await client.query(`create database ${name} owner ${name}`);
  await client.query(`revoke connect on database ${name} from public`);
}

async function makeRole(client: pg.Client, role: string, password: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (found.rowCount === 0)
    await client.query(
      `create role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`,
    );
}

function urlOf(superuserUrl: string, service: string, role: string): string {
  const url = new URL(superuserUrl);
  url.username = role;
  url.password = passwordOf(superuserUrl, role);
  url.pathname = `/${service}`;
  return url.href;
}

/** Derived, so that only the superuser's password must be stored. */
function passwordOf(superuserUrl: string, service: string): string {
  return createHmac('sha256', new URL(superuserUrl).password).update(service).digest('hex');
}
