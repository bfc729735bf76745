import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type pg from 'pg';
import { RefusalCode, refusalOf } from '../rpc/refusal/index.ts';
import type { NatsAccess } from '../runtime/nats-access/index.ts';
import { createTestDatabase, emptyTables, type TestDatabase } from './test-database.ts';

export { actionsOfStaff, auditedBy } from './audited-actions.ts';
export { inProcessClient, type TestActor } from './in-process-client.ts';
export { type ExportedSpan, type OtlpCollector, readExport, startOtlpCollector } from './otlp-collector.ts';
export { CURL, isTested, itWith, noteUntested, type Program, PYTHON, PYTHON_REQUESTS } from './programs.ts';
export { testRotatedTables } from './rotated-tables-suite.ts';
export { makeTestAuthority, type TestAuthority } from './test-authority.ts';
export { createTestDatabase, emptyTables, type TestDatabase } from './test-database.ts';
export { createTestIssuer, type TestIssuer } from './test-issuer.ts';
export { describeWithPgBouncer, startPgBouncer, type TestPgBouncer } from './test-pgbouncer.ts';
export { startTestProcess, type TestProcess } from './test-process.ts';
export {
  ANY_PORTS,
  freePort,
  startTestRpcServer,
  type TestRpcServer,
  testConfig,
} from './test-rpc-server.ts';

/**
 * Counts the statements sent through a pool or connection. The returned function stops counting and returns the count.
 */
export function countStatements(on: pg.Pool | pg.PoolClient): () => number {
  const original = on.query;
  const own = Object.getOwnPropertyDescriptor(on, 'query');
  let count = 0;
  const counting = (...args: unknown[]) => {
    count += 1;
    return Reflect.apply(original, on, args);
  };
  Object.defineProperty(on, 'query', { value: counting, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(on, 'query', own);
    else Reflect.deleteProperty(on, 'query');
    return count;
  };
}

/** Returns a fake pool that only reports the database clock, `ms` milliseconds ahead of this machine. */
export function databaseAhead(ms: number): pg.Pool {
  const query = async () => ({ rows: [{ ms: Date.now() + ms }] });
  return { connect: async () => ({ query, release: () => {} }) } as unknown as pg.Pool;
}

/**
 * Opens something for all tests of a file. The result has its members from the first test on. It closes in the order of
 * the file's hooks: an `afterAll` for what uses it comes before.
 */
export const forAllTests = <Opened extends Closable>(open: () => Promise<Opened>): Opened =>
  openedBetween(beforeAll, afterAll, open);

/** Opens something for each test of a file. The result has its members during a test. */
export const forEachTest = <Opened extends Closable>(open: () => Promise<Opened>): Opened =>
  openedBetween(beforeEach, afterEach, open);

/** Opens a database for all tests of a file, and empties it before each. */
export function databaseForTests(content: Parameters<typeof createTestDatabase>[0]): TestDatabase {
  const database = forAllTests(() => createTestDatabase(content));
  beforeEach(() => emptyTables(database.pool));
  return database;
}

type Closable = { close(): unknown };

function openedBetween<Opened extends Closable>(
  before: typeof beforeAll,
  after: typeof afterAll,
  open: () => Promise<Opened>,
): Opened {
  const opened = {} as Opened;
  before(async () => {
    Object.defineProperties(opened, Object.getOwnPropertyDescriptors(await open()));
  });
  // An opening that failed leaves nothing to close.
  after(() => opened.close?.());
  return opened;
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits until `read` returns a value. Throws after `withinMs`, naming what it waited for. It reads less often the
 * longer it has waited: a pause adds at most a tenth to the wait, and a long wait leaves the CPU to the work under
 * test.
 */
export async function eventually<Result>(
  what: string,
  read: () => Promise<Result | undefined | false> | Result | undefined | false,
  withinMs = 120_000,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    const result = await read();
    if (result !== undefined && result !== false) return result;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(Math.min(Math.max(FIRST_PAUSE_MS, waitedMs / 10), LONGEST_PAUSE_MS));
  }
}

/** Returns how a call was refused: the names of its codes and the rejected fields. Throws if it succeeded. */
export async function refused(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const refusal = refusalOf(error);
    return {
      code: Code[error.code],
      ...(refusal ? { refusal: RefusalCode[refusal.code], currentRevision: refusal.currentRevision } : {}),
      paths: refusal?.violations.map(({ path }) => path) ?? [],
    };
  }
  throw new Error('the call was not refused');
}

/** Returns the refusal of a call; undefined if it succeeded or failed otherwise. */
export const refusalTo = (call: Promise<unknown>) => call.then(() => undefined, refusalOf);

/** Returns access to the NATS server that `npm test` starts, as a user with all permissions. */
export function testNats(): NatsAccess {
  const url = process.env.TEST_NATS_URL;
  if (!url) throw new Error('TEST_NATS_URL is not set: `npm test` starts a NATS server and sets it');
  return { url };
}

const TICK_MS = 20;

/**
 * Runs `work` and measures how long it took, minus the delay of a timer that runs alongside: on a busy machine that is
 * time spent waiting for a CPU, not time that the product took.
 */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const startedAt = performance.now();
  let [ticked, lateMs] = [startedAt, 0];
  const tick = () => {
    const now = performance.now();
    lateMs += Math.max(0, now - ticked - TICK_MS);
    ticked = now;
  };
  const ticker = setInterval(tick, TICK_MS);
  try {
    const answer = await work();
    tick();
    return { answer, ms: ticked - startedAt - lateMs };
  } finally {
    clearInterval(ticker);
  }
}
