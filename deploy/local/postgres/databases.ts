import { createHmac } from 'node:crypto';
import pg from 'pg';

const CONNECT_MS = 2_000;

/** True when the server answers a query now. */
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

/**
 * Makes a database for each service, owned by a role of the same name that can reach no other service's.
 * What exists is left as it is. Resolves to each service's URL.
 */
export async function makeDatabases(
  superuserUrl: string,
  services: readonly string[],
): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: superuserUrl, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    for (const service of services) await makeDatabase(client, service, passwordOf(superuserUrl, service));
  } finally {
    await client.end();
  }
  return Object.fromEntries(services.map((service) => [service, urlOf(superuserUrl, service)]));
}

async function makeDatabase(client: pg.Client, service: string, password: string): Promise<void> {
  const name = client.escapeIdentifier(service);
  const role = await client.query('select 1 from pg_roles where rolname = $1', [service]);
  if (role.rowCount === 0)
    await client.query(`create role ${name} login password ${client.escapeLiteral(password)}`);
  const database = await client.query('select 1 from pg_database where datname = $1', [service]);
  if (database.rowCount === 0) await client.query(`create database ${name} owner ${name}`);
  await client.query(`revoke connect on database ${name} from public`);
}

function urlOf(superuserUrl: string, service: string): string {
  const url = new URL(superuserUrl);
  url.username = service;
  url.password = passwordOf(superuserUrl, service);
  url.pathname = `/${service}`;
  return url.href;
}

/** Derived, so that only the superuser's password has to be kept. */
function passwordOf(superuserUrl: string, service: string): string {
  return createHmac('sha256', new URL(superuserUrl).password).update(service).digest('hex');
}
