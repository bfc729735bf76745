import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isTested } from './programs.ts';
import { freePort } from './test-rpc-server.ts';

/** The path in Debian's package. */
const PGBOUNCER = '/usr/sbin/pgbouncer';
const ABSENT = `there is no ${PGBOUNCER}: apt-get install -y pgbouncer`;
const START_MS = 20_000;
const RETRY_MS = 50;

/** A real PgBouncer in transaction mode. */
export interface TestPgBouncer {
  /** The address of `databaseUrl` through it, as services get it. */
  address(databaseUrl: string): string;
  /** Closes its connections to the server, as RECONNECT does, so that new ones have changed settings of a role. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Starts PgBouncer before the server of `databaseUrl`, with two connections to each database. */
export async function startPgBouncer(databaseUrl: string): Promise<TestPgBouncer> {
  if (!existsSync(PGBOUNCER)) throw new Error(ABSENT);
  const { hostname, port, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const listenPort = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
admin_users = pgbouncer
pool_mode = transaction
default_pool_size = 2
`,
  );
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(PGBOUNCER, [...asOther, settings], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const admin = <Row extends pg.QueryResultRow>(statement: string) =>
    ask<Row>(`postgresql://pgbouncer@127.0.0.1:${listenPort}/pgbouncer`, statement);
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  };
  const startedAt = performance.now();
  while (!(await admin('SHOW VERSION').then(Boolean, () => false))) {
    if (performance.now() - startedAt > START_MS) {
      await close();
      throw new Error(`PgBouncer has not responded within ${START_MS} ms`);
    }
    await pause(RETRY_MS);
  }
  return {
    address(url) {
      const { pathname } = new URL(url);
      return `postgresql://${username}@127.0.0.1:${listenPort}${pathname}?pgbouncer=true`;
    },
    async reconnect() {
      await admin('RECONNECT');
    },
    close,
  };
}

async function ask<Row extends pg.QueryResultRow>(connectionString: string, statement: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    // PgBouncer's console speaks only the simple protocol, which the driver uses without parameters.
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Declares a suite that needs PgBouncer. Without it the suite is skipped; with CI=true it runs and fails. */
export function describeWithPgBouncer(name: string, suite: () => void): void {
  const runs = isTested('PgBouncer', existsSync(PGBOUNCER), ['pgbouncer']);
  (runs ? describe : describe.skip)(name, suite);
}
