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

/** Databases that the services use as their owners. */
export function ownedDatabases(urls: Readonly<Record<string, string>>): Record<string, LocalDatabase> {
  return Object.fromEntries(
    Object.entries(urls).map(([service, url]) => [
      service,
      { ownerUrl: url, runtimeUrl: url, runtimeRole: service },
    ]),
  );
}

/**
 * Creates a database for each service, as `makeDatabases` does, and for each a second role that owns nothing. Resolves
 * to each service's database.
 */
export async function makeDatabasesWithRoles(
  superuserUrl: string,
  services: readonly string[],
): Promise<Record<string, LocalDatabase>> {
  const owners = await makeDatabases(superuserUrl, services);
  const databases = services.map((service): [string, LocalDatabase] => {
    const runtimeRole = `${service}_runtime`;
    const runtimeUrl = urlOf(superuserUrl, service, runtimeRole);
    return [service, { ownerUrl: owners[service] ?? '', runtimeUrl, runtimeRole }];
  });
  await withClient(superuserUrl, async (client) => {
    for (const [, { runtimeRole }] of databases)
      await makeRole(client, runtimeRole, passwordOf(superuserUrl, runtimeRole));
  });
  return Object.fromEntries(databases);
}

/**
 * Creates a database for each service, owned by a role of the same name that can't access any other service's. Existing
 * ones are unchanged. Resolves to each service's URL.
 */
export async function makeDatabases(
  superuserUrl: string,
  services: readonly string[],
): Promise<Record<string, string>> {
  await withClient(superuserUrl, async (client) => {
    for (const service of services) await makeDatabase(client, service, passwordOf(superuserUrl, service));
  });
  return Object.fromEntries(services.map((service) => [service, urlOf(superuserUrl, service)]));
}

async function withClient(superuserUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function makeDatabase(client: pg.Client, service: string, password: string): Promise<void> {
  const name = client.escapeIdentifier(service);
  await makeRole(client, service, password);
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

function urlOf(superuserUrl: string, service: string, role = service): string {
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
