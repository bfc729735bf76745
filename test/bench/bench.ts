import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KeyRing } from '@supplier/lib/data/crypto';
import type { Environment } from '@supplier/proto/common/v1/status';
import pg from 'pg';
import { localCertificates } from '../../deploy/local/identity/certificates.ts';
import { keyRingFile } from '../../deploy/local/identity/key-rings.ts';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { createAccount, issueCredential } from '../../deploy/local/seed/seed-suppliers.ts';
import { type StaffClients, staffClients } from '../../deploy/local/seed/staff-clients.ts';
import { supplierTable } from '../../deploy/local/seed/supplier-table.ts';
import type { ServiceWithDatabase } from '../../deploy/local/services/process-table.ts';
import type { StackDescription } from '../../deploy/local/stack-file.ts';
import { stateFolder } from '../../deploy/local/state/state-folder.ts';
import { CannotStart, reasonOf } from '../../deploy/local/terminal.ts';

/** Started with every stack but not on the path of a submission: their memory and CPU time are not counted. */
const NOT_MEASURED = new Set(['receiver', 'collector', 'clamd', 'scanner']);

/** A million rows are inserted and analysed. */
const STATEMENT_MS = 1_800_000;

/** The benchmark's own stack: that of `npm start`, with empty databases. */
export interface Bench {
  /** The current description. */
  readonly stack: StackDescription;
  readonly staff: StaffClients;
  /** The certificates of this stack's webhook receivers. */
  readonly certificates: Certificates;
  /** Reports progress on stderr. */
  progress(line: string): void;
  /** Returns a connection pool to a service's database, used only by the benchmark. */
  database(service: ServiceWithDatabase): pg.Pool;
  keyRing(service: ServiceWithDatabase): KeyRing;
  /** Returns the process ids to measure, by name: the services, PostgreSQL and NATS. */
  pids(): Readonly<Record<string, number>>;
  /** PostgreSQL backends that work only for the benchmark. */
  readonly backends: ReadonlySet<number>;
  /** Creates a supplier whose rate limits are too high to reach. */
  makeSupplier(environment: Environment): Promise<{ accountId: string; credential: string }>;
}

interface Place {
  readonly checkout: string;
  /** Absolute path of the folder for the stack's state, removed afterwards. */
  readonly folder: string;
  readonly secure: boolean;
  readonly traced: boolean;
}

/**
 * Runs `work` with a stack in `folder`, and removes the stack afterwards. Throws CannotStart when the stack doesn't
 * start, for example because another benchmark uses the folder.
 */
export async function withStack<Result>(
  { checkout, folder, secure, traced }: Place,
  progress: (line: string) => void,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const flags = [...(secure ? ['--secure'] : []), ...(traced ? ['--traced'] : [])];
  const child = fork(
    fileURLToPath(new URL('../../deploy/local/start.ts', import.meta.url)),
    ['--state', folder, '--fresh', '--no-demo', ...flags],
    { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 2, 2, 'ipc'] },
  );
  const ended = once(child, 'exit');
  const state = stateFolder(folder, checkout);
  const pools = new Map<string, pg.Pool>();
  const backends = new Set<number>();
  let mayRemove = false;
  try {
    const stackFile = await stackFileOf(child, ended);
    mayRemove = true;
    const stack = (): StackDescription => JSON.parse(readFileSync(stackFile, 'utf8'));
    const { rpcHttp1, databases, tls } = stack();
    const urlOf = (service: 'account' | 'submission' | 'webhook') => rpcHttp1[service] ?? '';
    const urls = { account: urlOf('account'), submission: urlOf('submission'), webhook: urlOf('webhook') };
    const staff = staffClients(urls, () => stack().staffToken, tls);
    return await work({
      get stack() {
        return stack();
      },
      staff,
      certificates: await localCertificates(state.certificates),
      progress,
      database(service) {
        const known = pools.get(service);
        const pool =
          known ??
          new pg.Pool({
            connectionString: databases[service],
            max: 4,
            statement_timeout: STATEMENT_MS,
            // The time of an ended backend would count as the server's.
            idleTimeoutMillis: 0,
            async onConnect(client) {
              const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
              backends.add(rows[0].pid);
            },
          });
        // A stopping server closes idle connections, on which nothing is waiting.
        if (!known) pool.on('error', (error) => progress(`a database connection ended: ${reasonOf(error)}`));
        pools.set(service, pool);
        return pool;
      },
      backends,
      keyRing: (service) => KeyRing.fromJson(readFileSync(keyRingFile(state.keyRings, service), 'utf8')),
      pids: () =>
        Object.fromEntries(Object.entries(stack().pids).filter(([name]) => !NOT_MEASURED.has(name))),
      async makeSupplier(environment) {
        const wanted = supplierTable.find(({ limits }) => limits !== undefined);
        if (!wanted) throw new Error('every supplier uses the default limits');
        const { accountId } = await createAccount({ ...wanted, name: 'benchmark' }, staff);
        return { accountId, credential: await issueCredential(wanted, accountId, environment, staff) };
      },
    });
  } finally {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    if (child.connected) child.send('stop');
    await ended;
    if (mayRemove) rmSync(folder, { recursive: true, force: true });
  }
}

async function stackFileOf(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  const ready = new Promise<string>((resolve) => {
    child.on('message', (message: { ready?: string }) => message.ready && resolve(message.ready));
  });
  const file = await Promise.race([ready, ended.then(() => undefined)]);
  if (file === undefined) throw new CannotStart('the measured stack did not start: see above');
  return file;
}
