import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import { checkGrants, runMigrations } from '@supplier/lib/data/migrations';
import { databaseReadiness, inTransaction, openPool } from '@supplier/lib/data/postgres';
import { eventually, freePort, startTestProcess } from '@supplier/lib/testing';
import pg from 'pg';
import { type Cluster, prepareCluster } from '../../deploy/local/postgres/cluster.ts';
import { prepareStateFolder, type StateFolder, stateFolder } from '../../deploy/local/state/state-folder.ts';
import { createSupervisor, type Supervisor } from '../../deploy/local/supervisor/supervisor.ts';
import { openTestService, type TestService } from '../../services/submission/testing/test-service.ts';
import { asStandby, copyToStandby, following, KEPT_LOG } from './stores/standby.ts';

// Two servers are created and started, and one of them is restarted.
jest.setTimeout(120_000);

const checkout = join(import.meta.dirname, '../..');
const SERVICE = new URL('../../services/submission/', import.meta.url);
const SENDERS = 8;
const WRITES_AGAIN_MS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'failover-'));
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** A server with a separate data folder. */
interface Server {
  readonly state: StateFolder;
  readonly port: number;
  start(settings: Readonly<Record<string, string>>): Promise<Cluster>;
  stop(): Promise<void>;
}

async function server(name: string): Promise<Server> {
  const state = stateFolder(join(folder, name), checkout);
  prepareStateFolder(state, { fresh: false });
  const port = await freePort();
  let supervisor: Supervisor | undefined;
  closing.push(() => supervisor?.stop([['postgres']]));
  return {
    state,
    port,
    async start(settings) {
      supervisor = createSupervisor(state, { say: () => {}, warn: () => {} }, () => {});
      const cluster = await prepareCluster(state, port, undefined, settings);
      await supervisor.start(cluster.program);
      return cluster;
    },
    async stop() {
      await supervisor?.stop([['postgres']]);
    },
  };
}

/** Listens at one address for the server that it is switched to; open connections stay on the old one. */
async function address(first: number) {
  let to = first;
  const open = new Set<net.Socket>();
  const listener = net
    .createServer((incoming) => {
      const outgoing = net.connect(to, '127.0.0.1');
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        open.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    })
    .listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    switchTo(port: number) {
      to = port;
    },
    close() {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function ask<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    return (await session.query<Row>(statement)).rows;
  } finally {
    await session.end();
  }
}

const withPort = (url: string, port: number) => Object.assign(new URL(url), { port: String(port) }).href;

/** Writes with several concurrent senders until stopped; then resolves to the responses. */
function startLoad(service: TestService) {
  const stopping = new AbortController();
  const taken: string[] = [];
  const refusals = new Set<string>();
  const senders = Array.from({ length: SENDERS }, async () => {
    while (!stopping.signal.aborted) {
      try {
        taken.push((await service.submit()).id);
      } catch (error) {
        refusals.add(error instanceof ConnectError ? (Code[error.code] ?? '') : String(error));
        await delay(20);
      }
    }
  });
  const moreTaken = (count: number, withinMs?: number) => {
    const end = taken.length + count;
    return eventually(`${count} more to be taken`, () => taken.length >= end, withinMs);
  };
  async function stop() {
    stopping.abort();
    await Promise.all(senders);
    return { taken, refusals };
  }
  return { moreTaken, stop };
}

it('a failover under load loses no acknowledged write, returns only unavailable, and writes within 10 s of the new address', async () => {
  const [old, next] = [await server('old'), await server('next')];
  const primary = await old.start(KEPT_LOG);
  await ask(primary.url('postgres'), 'CREATE DATABASE submission');
  const submissionUrl = primary.url('submission');
  await runMigrations({ databaseUrl: submissionUrl, serviceDir: SERVICE });
  await copyToStandby(primary.url('postgres'), old.state, next.state);
  copyFileSync(old.state.postgresAccess, next.state.postgresAccess);
  const standby = await next.start(following(primary.url('postgres')));
  // No write is acknowledged before the standby has it.
  await ask(primary.url('postgres'), `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await ask(primary.url('postgres'), 'SELECT pg_reload_conf()');

  const one = await address(old.port);
  const serviceProcess = startTestProcess('submission');
  const config = { databaseUrl: withPort(submissionUrl, one.port), databasePool: 4 };
  const pool = openPool(config, serviceProcess);
  const ready = databaseReadiness(config, serviceProcess, { table: 'submission' });
  const workPool = openPool(config, serviceProcess, { purpose: 'work' });
  const service = await openTestService({ pool });
  const load = startLoad(service);
  closing.push(one.close, serviceProcess.stop, service.close, load.stop);
  // On a busy machine one attempt may time out; the next succeeds.
  const outcome = (work: () => Promise<unknown>) =>
    work().then(
      () => 'done',
      (error: Error & { code?: string }) => `${error.code} ${error.message}`,
    );
  const ends = (what: string, work: () => Promise<unknown>, wanted: RegExp) =>
    eventually(what, async () => wanted.test(await outcome(work)));
  await load.moreTaken(50);
  await ends('ready', ready, /^done$/);

  await old.stop();
  await ask(standby.url('postgres'), 'SELECT pg_promote()');
  asStandby(old.state);
  await old.start(following(standby.url('postgres')));
  // The address is switched late: for a while it leads to the demoted server.
  await ends('not ready', ready, /is read-only/);
  const change = () =>
    inTransaction(workPool, (tx) => tx.query('UPDATE submission SET status = status WHERE false'));
  await ends('no change', change, /^25006 /);
  const starting = startTestProcess('starting');
  closing.push(starting.stop);
  checkGrants(starting, openPool(config, starting), SERVICE);
  const said = (words: string) =>
    eventually(words, () => starting.lines.some((line) => JSON.stringify(line).includes(words)));
  await said('database is read-only; waiting for the primary');
  one.switchTo(next.port);
  await load.moreTaken(50, WRITES_AGAIN_MS);
  await ends('a change', change, /^done$/);
  await ends('ready again', ready, /^done$/);
  await said('more privileges than the service needs');
  expect(starting.failures).toEqual([]);

  const { taken, refusals } = await load.stop();
  expect([...refusals]).toEqual(['Unavailable']);
  const kept = await ask<{ id: string }>(standby.url('submission'), 'SELECT id FROM submission');
  const ids = new Set(kept.map(({ id }) => id));
  expect(taken.filter((id) => !ids.has(id))).toEqual([]);
});
