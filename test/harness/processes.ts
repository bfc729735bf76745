import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { callJetStream } from './jetstream.ts';
import { readStack, stackFile, tlsOfCaller } from './stack.ts';
import { timed } from './timing.ts';
import { NotYet, waitFor } from './wait.ts';

const RESTART_MS = 120_000;

/** Returns the path of a file in the stack's folder, the parent of `stack.json`. */
const inState = (...path: string[]): string => join(dirname(stackFile()), ...path);

/** Returns the current process number of one of the stack's processes, as the supervisor records it. */
export function pidOf(name: string): number {
  const pid = readStack().pids[name];
  if (pid === undefined) throw new Error(`the stack has no process ${name}`);
  return pid;
}

/** Kills a process (SIGKILL) and waits until it is gone. */
export async function kill(name: string): Promise<number> {
  const pid = pidOf(name);
  process.kill(pid, 'SIGKILL');
  await waitFor(`${name} (${pid}) to be gone`, async () => {
    if (isRunning(pid)) throw new NotYet('it is still running');
  });
  return pid;
}

/** How a process stopped. */
export interface Stop {
  readonly pid: number;
  readonly tookMs: number;
  /** The messages that it logged after the stop request. */
  readonly lastWords: string[];
}

/** Asks a process to stop, as an orchestrator does, and waits until it is gone. */
export async function stop(name: string): Promise<Stop> {
  const pid = pidOf(name);
  const log = inState('logs', `${name}.log`);
  const { length } = readFileSync(log);
  process.kill(pid, 'SIGTERM');
  const { ms: tookMs } = await timed(() =>
    waitFor(`${name} (${pid}) to be gone`, async () => {
      if (isRunning(pid)) throw new NotYet('it is still running');
    }),
  );
  const lines = readFileSync(log).subarray(length).toString().split('\n').filter(Boolean);
  return { pid, tookMs, lastWords: lines.map(messageOf) };
}

function messageOf(line: string): string {
  const { msg } = JSON.parse(line) as { msg: string };
  return msg;
}

/** A killed process that is kept down. */
export interface Down {
  /** Lets the supervisor restart it and waits until it has. */
  bringBack(): Promise<void>;
}

/** Kills a process and keeps it down while `work` runs, or until `work` brings it back. */
export async function whileDown(name: string, work: (down: Down) => Promise<void>): Promise<void> {
  const hold = inState('hold', name);
  mkdirSync(dirname(hold), { recursive: true });
  writeFileSync(hold, '');
  const release = () => rmSync(hold, { force: true });
  try {
    const pid = await kill(name);
    await work({
      bringBack: async () => {
        release();
        await restarted(name, pid);
      },
    });
  } finally {
    release();
  }
}

/** Suspends a process while `work` runs: it neither answers nor refuses connections, and resumes afterwards. */
export async function whileHalted(name: string, work: () => Promise<void>): Promise<void> {
  const pid = pidOf(name);
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** Waits until a process has restarted under a new process number. */
export const restarted = (name: string, oldPid: number): Promise<number> =>
  waitFor(
    `${name} to be restarted`,
    async () => {
      const pid = readStack().pids[name];
      if (pid === undefined || pid === oldPid || !isRunning(pid)) throw new NotYet(`its process is ${pid}`);
      return pid;
    },
    { withinMs: RESTART_MS },
  );

/** Deletes everything that NATS has stored. Call only while NATS is down. */
export function deleteNatsStorage(): void {
  const storage = inState('nats', 'storage');
  if (!existsSync(storage)) throw new Error(`nothing is stored at ${storage}`);
  rmSync(storage, { recursive: true });
}

/** Deletes a stream while everything runs, as an operator's tool does. */
export const loseStream = (stream: string): Promise<unknown> =>
  callJetStream(readStack().nats, `STREAM.DELETE.${stream}`, tlsOfCaller());

/** Reads rows from a service's database; for queries only. */
export async function rowsOf(service: string, sql: string, values: unknown[]): Promise<object[]> {
  const url = new URL(readStack().postgres);
  url.pathname = `/${service}`;
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = on');
    return (await client.query<object>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until PostgreSQL answers a query. */
export const postgresAnswers = (): Promise<void> =>
  waitFor(
    'PostgreSQL to answer',
    async () => {
      await rowsOf('postgres', 'select 1', []);
    },
    { withinMs: RESTART_MS, throughErrors: true },
  );

/** Waits until every process is ready, so that one test's damage doesn't affect another. */
export const everythingReady = (): Promise<void> =>
  waitFor(
    'every process of the stack to be ready',
    async () => {
      const { private: listeners, gateway, production, nats } = readStack();
      for (const [name, url] of Object.entries(listeners)) {
        const answer = await request(`${url}/readyz`);
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new NotYet(`${name} is not`);
      }
      // Any response will do: a gateway that refuses a request without a credential is up.
      for (const url of [gateway, production]) await (await request(url)).body.dump();
      const { hostname, port } = new URL(nats);
      await connects(hostname, Number(port));
    },
    { withinMs: RESTART_MS, throughErrors: true },
  );

function connects(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
