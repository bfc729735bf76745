import { randomBytes } from 'node:crypto';
import { KeyRing } from '@supplier/lib/data/crypto';
import { refusalOf } from '@supplier/lib/rpc/refusal';
import { createLogger } from '@supplier/lib/runtime/log';
import {
  createTestDatabase,
  startTestProcess,
  startTestRpcServer,
  type TestDatabase,
  type TestRpcServer,
} from '@supplier/lib/testing';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/text/ids';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { readConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import type { EnvironmentName } from '../src/model/event.ts';
import { fingerprintOf, newSigningSecret } from '../src/model/signing.ts';
import type { Preflight } from '../src/preflight/preflight.ts';
import { routes } from '../src/routes.ts';
import { type Database, inTransaction, NOW } from '../src/store/database.ts';
import { insertEndpoint } from '../src/store/endpoints.ts';
import { secretAad } from '../src/store/sealed-values.ts';

/** A clock that stands still until it is set or advanced. */
export interface TestClock {
  now(): Date;
  set(to: Date): void;
  advance(ms: number): void;
}

export function testClock(start: Date): TestClock {
  let at = start.getTime();
  return {
    now: () => new Date(at),
    set: (to) => {
      at = to.getTime();
    },
    advance: (ms) => {
      at += ms;
    },
  };
}

/** The parts of the service with a separate database. */
export interface TestService extends TestDatabase {
  readonly db: Database;
  readonly context: Context;
  readonly clock: TestClock;
  /** Returns the time by the database's clock, in whole milliseconds. */
  now(): Promise<Date>;
  /** Simulates the passage of time: moves every recorded time of the delivery back by as much. */
  passTime(ms: number): Promise<void>;
  readonly woken: EndpointId[];
  createEndpoint(options?: {
    accountId?: AccountId;
    environment?: EnvironmentName;
    url?: string;
  }): Promise<{ accountId: AccountId; endpointId: EndpointId; secret: string }>;
}

export const START = new Date('2026-11-20T10:00:00.000Z');

export const CONFIG = readConfig({
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '1',
  SSS_RPC_H2C_PORT: '2',
  SSS_DATABASE_URL: 'postgresql://127.0.0.1:9/nothing',
  SSS_NATS_URL: 'nats://127.0.0.1:9',
  SSS_ISSUERS_FILE: '/nonexistent',
  SSS_SERVICE_TOKEN_DIR: '/nonexistent',
  SSS_KEY_RING_FILE: '/nonexistent',
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_ACCOUNT_URL: 'http://127.0.0.1:9',
  SSS_SUBMISSION_URL: 'http://127.0.0.1:9',
  SSS_ALLOWED_CIDRS: '127.0.0.0/8',
});

/**
 * Opens the service on a new database with a random name on the server of TEST_POSTGRES_URL; `close` drops it. By
 * default every account exists and the submission service has no submissions; see `overrides`.
 */
export async function openTestService(overrides: Partial<Context> = {}): Promise<TestService> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  const clock = testClock(START);
  const woken: EndpointId[] = [];
  const context = createContext(CONFIG, startTestProcess('webhook'), {
    pool: database.pool,
    clock,
    keyRing: testKeyRing(),
    accountExists: async () => true,
    handoffOf: async () => undefined,
    ownerOf: async () => undefined,
    listOwners: async () => new Map(),
    restate: async () => undefined,
    listChanges: async () => ({ changes: [], next: '' }),
    ...overrides,
  });
  const { db } = context;
  context.wakes.connect({ delivery: (endpointId) => woken.push(endpointId) });
  return {
    ...database,
    db,
    context,
    clock,
    woken,
    async now() {
      const { rows } = await database.pool.query<{ now: Date }>(`SELECT ${NOW} AS "now"`);
      return rows[0]?.now ?? new Date(Number.NaN);
    },
    async passTime(ms) {
      const back = (column: string) => `"${column}" = "${column}" - ${ms} * interval '1 millisecond'`;
      const all = (table: string, columns: string[]) =>
        `UPDATE "${table}" SET ${columns.map(back).join(', ')}`;
      // In one statement, so that no attempt can begin between two updates and have its times moved too.
      await database.pool.query(
        [
          all('event', ['recorded_at', 'next_attempt_at', 'lease_until', 'attempt_started_at', 'settled_at']),
          all('attempt', ['started_at', 'ended_at']),
          all('endpoint_health', ['failing_since', 'notified_at']),
        ].join(';'),
      );
    },
    async createEndpoint({
      accountId = newId<AccountId>(),
      environment = 'sandbox',
      url = 'https://receiver.test/',
    } = {}) {
      const endpointId = newId<EndpointId>();
      const secret = newSigningSecret();
      await inTransaction(db, (tx) =>
        insertEndpoint(tx, {
          endpointId,
          accountId,
          environment,
          url,
          sealedSecret: context.keyRing.seal(Buffer.from(secret), secretAad(endpointId)),
          keyFingerprint: fingerprintOf(secret),
          createdAt: clock.now(),
        }),
      );
      return { accountId, endpointId, secret };
    },
  };
}

export function testKeyRing(): KeyRing {
  return KeyRing.fromJson(testKeyRingJson());
}

/** Returns a key ring of random keys, in the format of its file. */
export function testKeyRingJson(): string {
  const key = () => randomBytes(32).toString('base64');
  return JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() });
}

/** Returns a logger that keeps its lines instead of printing them. */
export function testLog() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('webhook', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

export type TestServer = TestRpcServer<typeof WebhookService>;

/** Serves the RPCs of `context` on free ports. */
export function startTestServer(context: Context, preflight?: Preflight): Promise<TestServer> {
  return startTestRpcServer('webhook', WebhookService, routes(context, preflight));
}

/** Returns how a call was refused; both fields are undefined when it was not. */
export async function refused(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { error, refusal: refusalOf(error) };
}
