import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Cluster, prepareCluster } from '../../../deploy/local/postgres/cluster.ts';
import { choosePorts } from '../../../deploy/local/state/ports.ts';
import { rememberedSecret } from '../../../deploy/local/state/private-file.ts';
import type { StateFolder } from '../../../deploy/local/state/state-folder.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import type { Stage } from '../stage.ts';
import { balance } from '../upgrade/balancer.ts';
import { copyToStandby, following, KEPT_LOG } from './standby.ts';

/** Whether a commit is acknowledged only when the standby has it. */
export type Replication = 'synchronous' | 'asynchronous';

const USUAL_PORTS = { postgres: 21_047, postgres2: 21_048 };
const WITHIN_MS = 120_000;

/** The period whose commits a failover lost, in milliseconds since 1970. */
export interface Loss {
  readonly from: number;
  readonly until: number;
}

/** A PostgreSQL primary and its standby behind one address. */
export interface PostgresPair {
  readonly replication: Replication;
  /** The names of both servers' processes. */
  readonly names: readonly string[];
  /** Stops replication, so that the standby falls behind; `failOver` starts it again. */
  holdBack(): void;
  /** Ends the primary without warning, and promotes the standby. The address leads to it once `prepare` has resolved. */
  failOver(prepare?: () => Promise<void>): Promise<Loss>;
  /** Makes the old primary the standby of the new one. */
  rejoin(): Promise<void>;
  close(): void;
}

interface Server {
  readonly name: keyof typeof USUAL_PORTS;
  readonly state: StateFolder;
  readonly url: string;
  readonly prepare: () => Promise<Cluster>;
}

/** Starts both servers; `address` is the port of the primary, which changes its server in a failover. */
export async function startPostgresPair(
  { state, supervisor }: Stage,
  address: number,
  replication: Replication,
  settings: Readonly<Record<string, string>>,
  isPortAvailable: (port: number) => Promise<boolean>,
): Promise<PostgresPair> {
  const ports = await choosePorts(USUAL_PORTS, {}, isPortAvailable);
  const shared = await balance(address);
  const replicated = await balance();
  const password = rememberedSecret(state.postgresAccess, 'superuser');
  const urlAt = (port: number) => `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const all = { ...settings, ...KEPT_LOG, ...following(urlAt(replicated.port)) };
  const serverOf = (name: Server['name']): Server => {
    const own = { ...state, postgres: join(state.path, name) };
    const prepare = () => prepareCluster(own, ports[name], undefined, all);
    return { name, state: own, url: urlAt(ports[name]), prepare };
  };
  const start = async ({ name, prepare }: Server) => {
    await supervisor().start({ ...(await prepare()).program, name });
  };
  const hold = ({ name }: Server) => join(state.hold, name);
  let [primary, standby] = [serverOf('postgres'), serverOf('postgres2')];
  const route = () => {
    shared.route([ports[primary.name]]);
    replicated.route([ports[primary.name]]);
  };
  /** Lets the standby follow the primary, from copies of its files. */
  const attach = async (startStandby: () => Promise<void> | void) => {
    await copyToStandby(primary.url, primary.state, standby.state);
    await startStandby();
    await untilTrue(primary.url, 'SELECT count(*) > 0 FROM pg_stat_replication');
    if (replication === 'asynchronous') return;
    await ask(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await ask(primary.url, 'SELECT pg_reload_conf()');
  };
  /** Ends the server as a power cut does: immediately, and without its last words to the standby. */
  const end = ({ name }: Server) =>
    waitUntil(
      () => {
        const pid = supervisor().pids()[name];
        if (pid !== undefined) process.kill(pid, 'SIGQUIT');
        return pid === undefined || undefined;
      },
      { withinMs: WITHIN_MS, everyMs: 200 },
    );

  await start(primary);
  route();
  await attach(() => start(standby));
  return {
    replication,
    names: Object.keys(USUAL_PORTS),
    holdBack: () => replicated.disturb({ hold: 'both' }),
    async failOver(prepare = async () => {}) {
      writeFileSync(hold(primary), '');
      await end(primary);
      const until = Date.now();
      await untilTrue(standby.url, 'SELECT pg_promote()');
      replicated.disturb();
      const last = 'SELECT extract(epoch FROM pg_last_xact_replay_timestamp())::float8 * 1000 AS value';
      const from = Number(await ask(standby.url, last));
      await prepare();
      [primary, standby] = [standby, primary];
      route();
      return { from, until };
    },
    rejoin: () => attach(() => rmSync(hold(standby))),
    close() {
      shared.close();
      replicated.close();
    },
  };
}

/** Returns the first column of the first row. */
async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Repeats a query until it returns true. A server that is starting refuses it. */
async function untilTrue(url: string, sql: string): Promise<void> {
  const isTrue = () =>
    ask(url, sql).then(
      (value) => value === true || undefined,
      () => undefined,
    );
  if (!(await waitUntil(isTrue, { withinMs: WITHIN_MS, everyMs: 200 })))
    throw new Error(`PostgreSQL did not do this in time: ${sql}`);
}
