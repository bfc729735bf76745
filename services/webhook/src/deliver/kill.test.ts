import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '@supplier/lib/data/crypto';
import { eventually, makeTestAuthority } from '@supplier/lib/testing';
import type { AccountId, EventId } from '@supplier/lib/text/ids';
import { systemClock } from '@supplier/lib/text/time';
import pg from 'pg';
import { type PlayedReceiver, playedReceiver } from '../../testing/played-receiver.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recorded } from '../../testing/test-engine.ts';
import { openTestService, type TestService, testKeyRingJson } from '../../testing/test-service.ts';
import { startWebhookProcess, type WebhookProcess } from '../../testing/webhook-process.ts';

/*
 * Kills the process with -9 at each stage of a delivery, and starts it again. Tests do not wait for a lease or a retry
 * gap: they move its end in the database.
 */

let service: TestService;
let credentials: { cert: string; key: string };
let folder: string;
let running: WebhookProcess | undefined;
const receivers: PlayedReceiver[] = [];
const locks: { release(): Promise<void> }[] = [];

// Allows for a busy machine; otherwise none takes a third of this.
jest.setTimeout(180_000);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-kill-'));
  const keyRing = testKeyRingJson();
  const authority = await makeTestAuthority();
  credentials = await authority.issue({ ips: ['127.0.0.1'] });
  for (const name of ['key-ring.json', 'webhook.json']) writeFileSync(join(folder, name), keyRing);
  writeFileSync(join(folder, 'authority.pem'), authority.pem);
  writeFileSync(
    join(folder, 'issuers.json'),
    JSON.stringify([
      {
        issuer: 'https://issuer.test',
        jwks: { keys: [nobodysKey()] },
        roleClaim: 'roles',
        roles: ['staff:*'],
        maxTokenMinutes: 60,
      },
    ]),
  );
  service = await openTestService({ keyRing: KeyRing.fromJson(keyRing), clock: systemClock });
  service.clock.set(systemClock.now());
});
afterEach(async () => {
  for (const { release } of locks.splice(0)) await release();
  for (const receiver of receivers.splice(0)) await receiver.close();
});
afterAll(async () => {
  await kill();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

const nobodysKey = () => ({
  ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  alg: 'EdDSA',
});

/** Reuses the process of the previous test: starting one takes a second of CPU time. */
async function start(): Promise<void> {
  running ??= await startWebhookProcess({
    databaseUrl: service.databaseUrl,
    keyRingFile: join(folder, 'key-ring.json'),
    eventKeysDir: folder,
    extraCaFile: join(folder, 'authority.pem'),
    issuersFile: join(folder, 'issuers.json'),
  });
}

async function kill(): Promise<void> {
  await running?.kill();
  running = undefined;
}

/** Creates a receiver and an endpoint with its URL. */
async function endpoint(plays: PlayedReceiver['plays'] = 'answers') {
  const receiver = await playedReceiver(credentials, plays);
  receivers.push(receiver);
  const { accountId } = await service.createEndpoint({ url: `https://127.0.0.1:${receiver.port}/` });
  return { receiver, accountId };
}

async function record(accountId: AccountId): Promise<EventId> {
  const change = statusChanged({ accountId, occurredAt: new Date() });
  await consume(service.context, change);
  return change.eventId;
}

const attemptsOf = async (eventId: EventId) =>
  (await recorded(service, eventId)).attempts.map(({ number, errorClass, statusCode }) => [
    number,
    errorClass ?? statusCode,
  ]);

const becomes = (
  eventId: EventId,
  what: string,
  holds: (event: Awaited<ReturnType<typeof recorded>>) => boolean,
) => eventually(`the event is ${what}`, async () => holds(await recorded(service, eventId)));
const isDelivered = (eventId: EventId) => becomes(eventId, 'delivered', ({ state }) => state === 'delivered');

/** Expires the lease of a dead worker. */
const leaseEnds = (eventId: EventId) =>
  service.pool.query(
    `UPDATE event SET lease_until = now() - interval '1 ms' WHERE id = $1 AND lease_until IS NOT NULL`,
    [eventId],
  );

/** Ends the gap before the next attempt. */
const gapEnds = (eventId: EventId) =>
  service.pool.query(
    `UPDATE event SET next_attempt_at = now() WHERE id = $1 AND next_attempt_at IS NOT NULL`,
    [eventId],
  );

/** Restarts the process and moves times forward until the next attempt follows the interrupted one. */
async function startAgainAfterInterruption(eventId: EventId): Promise<void> {
  await leaseEnds(eventId);
  await start();
  // On a slow machine the gap, which counts from the interrupted attempt's start, may be over already.
  await becomes(
    eventId,
    'waiting again or attempted again',
    ({ nextAttemptAt, attemptCount }) => nextAttemptAt !== null || attemptCount > 1,
  );
  await gapEnds(eventId);
}

/** The beginnings of the statements. */
const STATEMENTS = { claim: 'WITH requested', settle: 'WITH outcome' };

/** Holds a lock in a separate database transaction until it is released. */
async function holding(statement: string, values: unknown[] = []) {
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await holder.query('BEGIN');
  await holder.query(statement, values);
  const lock = {
    /** Resolves when a statement of the service is blocked by this lock. */
    waiting: (statement: 'claim' | 'settle') =>
      eventually(`a ${statement} waits`, async () => {
        const { rowCount } = await service.pool.query(
          `SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND $1 = ANY (pg_blocking_pids(pid))
              AND starts_with(query, $2)`,
          [rows[0]?.pid, STATEMENTS[statement]],
        );
        return rowCount !== 0;
      }),
    // Its transaction ends with its connection.
    release: () => holder.end(),
  };
  locks.push(lock);
  return lock;
}

describe('process killed between claim and send', () => {
  it('delivers the event by the second attempt when the claim was committed after its death', async () => {
    await kill();
    const { receiver, accountId } = await endpoint();
    const eventId = await record(accountId);
    // Blocks every further claim, and any other statement that changes an event.
    const lock = await holding('LOCK TABLE event IN SHARE MODE');
    await start();
    await lock.waiting('claim');
    await kill();
    await lock.release();
    await becomes(eventId, 'claimed', ({ attemptCount }) => attemptCount === 1);
    expect(receiver.connections()).toBe(0);
    await startAgainAfterInterruption(eventId);
    await isDelivered(eventId);
    expect(await attemptsOf(eventId)).toEqual([
      [1, 'interrupted'],
      [2, 200],
    ]);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('process killed after an event is sent', () => {
  it('repeats only that attempt under the next number, with the same id and body and a new signature', async () => {
    const { receiver, accountId } = await endpoint('never answers');
    const other = await endpoint();
    await start();
    const before = await record(other.accountId);
    await isDelivered(before);
    const eventId = await record(accountId);
    await eventually('it is sent', () => receiver.requests.length === 1);
    await kill();
    const meanwhile = await record(other.accountId);
    receiver.plays = 'answers';
    await startAgainAfterInterruption(eventId);
    const after = await record(other.accountId);
    for (const each of [eventId, meanwhile, after]) await isDelivered(each);

    expect(await attemptsOf(eventId)).toEqual([
      [1, 'interrupted'],
      [2, 200],
    ]);
    const [first, second, ...more] = receiver.requests;
    expect(more).toEqual([]);
    expect(second?.id).toBe(first?.id);
    expect(second?.body).toBe(first?.body);
    expect(second?.signature).toMatch(/^v1=[0-9a-f]{64}$/);
    for (const each of [before, meanwhile, after]) expect(await attemptsOf(each)).toEqual([[1, 200]]);
    expect(other.receiver.requests.map(({ id }) => id)).toEqual([before, meanwhile, after]);
  });
});

describe('process killed before a success is recorded', () => {
  it('repeats nothing when the record was committed after its death', async () => {
    const { receiver, accountId } = await endpoint('never answers');
    const other = await endpoint();
    const eventId = await record(accountId);
    await start();
    await eventually('it is sent', () => receiver.requests.length === 1);
    const lock = await holding('SELECT FROM event WHERE id = $1 FOR UPDATE', [eventId]);
    receiver.answerAll();
    await lock.waiting('settle');
    await kill();
    receiver.plays = 'answers';
    await lock.release();
    await isDelivered(eventId);
    await start();
    await isDelivered(await record(other.accountId));
    expect(await attemptsOf(eventId)).toEqual([[1, 200]]);
    expect(receiver.requests).toHaveLength(1);
  });
});
