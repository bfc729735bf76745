import { randomBytes } from 'node:crypto';
import { KeyRing } from '@supplier/lib/crypto';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/ids';
import type { ServiceContext } from '../src/context.ts';
import { inTransaction, NOW } from '../src/db/database.ts';
import { insertEndpoint } from '../src/db/insert-endpoint.ts';
import { addressPolicy } from '../src/domain/address-policy.ts';
import type { EnvironmentName } from '../src/domain/environment.ts';
import { secretPlace } from '../src/domain/sealed-places.ts';
import { fingerprintOf, newSigningSecret } from '../src/domain/signing.ts';
import { preflights } from '../src/preflight/index.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { testLog } from './test-log.ts';

/** A clock that stands still until it is told to move. */
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

/** The parts of the service over a database of its own. */
export interface TestService extends TestDatabase {
  readonly context: ServiceContext;
  readonly clock: TestClock;
  /** The time by the database's clock, in whole milliseconds. */
  now(): Promise<Date>;
  /** Lets time pass for all that is recorded: every time of the delivery lies that much further back. */
  passTime(ms: number): Promise<void>;
  /** Endpoints that were woken, in order. */
  readonly woken: EndpointId[];
  createEndpoint(options?: {
    accountId?: AccountId;
    environment?: EnvironmentName;
    url?: string;
  }): Promise<{ accountId: AccountId; endpointId: EndpointId; secret: string }>;
}

export const START = new Date('2026-11-20T10:00:00.000Z');

export async function openTestService(overrides: Partial<ServiceContext> = {}): Promise<TestService> {
  const database = await openTestDatabase();
  const clock = testClock(START);
  const woken: EndpointId[] = [];
  const context: ServiceContext = {
    db: database.db,
    pool: database.pool,
    clock,
    ring: testKeyRing(),
    policy: addressPolicy(['127.0.0.0/8']),
    handoffOf: async () => undefined,
    ownerOf: async () => undefined,
    restate: async () => undefined,
    listChanges: async () => ({ changes: [], next: '' }),
    wake: (endpointId) => woken.push(endpointId),
    retentionMs: 30 * 86_400_000,
    log: testLog().log,
    countRecorded: () => {},
    countExpired: () => {},
    countReconciled: () => {},
    reconcileEveryMs: 600_000,
    pausedDeliveryMs: 24 * 3_600_000,
    preflight: preflights({ policy: addressPolicy(['127.0.0.0/8']), extraCa: undefined, clock }),
    ...overrides,
  };
  return {
    ...database,
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
        database.pool.query(`UPDATE "${table}" SET ${columns.map(back).join(', ')}`);
      await all('event', [
        'recorded_at',
        'next_attempt_at',
        'lease_until',
        'attempt_started_at',
        'settled_at',
      ]);
      await all('attempt', ['started_at', 'ended_at']);
      await all('endpoint_health', ['failing_since', 'told_at']);
    },
    async createEndpoint({
      accountId = newId<AccountId>(),
      environment = 'sandbox',
      url = 'https://receiver.test/',
    } = {}) {
      const endpointId = newId<EndpointId>();
      const secret = newSigningSecret();
      await inTransaction(database.db, (tx) =>
        insertEndpoint(tx, {
          endpointId,
          accountId,
          environment,
          url,
          sealedSecret: context.ring.seal(Buffer.from(secret), secretPlace(endpointId)),
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

/** A key ring of random keys, as its file holds it. */
export function testKeyRingJson(): string {
  const key = () => randomBytes(32).toString('base64');
  return JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() });
}
