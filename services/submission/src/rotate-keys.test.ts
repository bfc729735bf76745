import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from '@bufbuild/protobuf';
import { KeyRing } from '@supplier/lib/data/crypto';
import { requireKeysInUse } from '@supplier/lib/data/key-rotation';
import { eventually, startTestProcess, testRotatedTables } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { openTestService, type SubmitOptions, type TestService } from '../testing/test-service.ts';
import { rotatedTables } from './store/rotated-tables.ts';

// The command runs in a separate process.
jest.setTimeout(60_000);

const COMMAND = fileURLToPath(new URL('rotate-keys.ts', import.meta.url));
const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ringJson = (sealing: number[], digest: number[]) =>
  JSON.stringify({
    primary: `k${sealing[0]}`,
    keys: Object.fromEntries(sealing.map((n) => [`k${n}`, bytes(n)])),
    primaryDigestKey: `d${digest[0]}`,
    digestKeys: Object.fromEntries(digest.map((n) => [`d${n}`, bytes(100 + n)])),
  });

/** The rings of a rotation, in the order of the runbook. */
const RINGS = {
  old: ringJson([1], [1]),
  added: ringJson([1, 2], [1, 2]),
  switched: ringJson([2, 1], [2, 1]),
  new: ringJson([2], [2]),
};

let folder: string;
const open: TestService[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rotate-keys-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const service of open.splice(0).reverse()) await service.close();
});

async function start(ring: keyof typeof RINGS, beside?: TestService): Promise<TestService> {
  const keyRing = KeyRing.fromJson(RINGS[ring]);
  const service = await openTestService({ keyRing, ...(beside ? { beside } : {}) });
  open.push(service);
  const process = startTestProcess('submission');
  await requireKeysInUse(process, service.context.pool, keyRing).finally(() => process.stop());
  return service;
}

/** Runs the command on the database of a service until it exits. */
async function rotateKeys(service: TestService, ring: keyof typeof RINGS, ...args: string[]) {
  return run([COMMAND, ...args], await databaseAndRing(service, ring));
}

/** Returns the settings of a process for the database of a service and a ring, which is written to a file. */
async function databaseAndRing(service: TestService, ring: keyof typeof RINGS) {
  const path = join(folder, `${ring}.json`);
  writeFileSync(path, RINGS[ring]);
  const { pool } = service.context;
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  const databaseUrl = Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), {
    pathname: rows[0]?.name,
  });
  return { SSS_DEPLOYMENT: 'local', SSS_DATABASE_URL: databaseUrl.href, SSS_KEY_RING_FILE: path };
}

/** Runs a program until it exits, for at most 20 s. */
function run(program: string[], settings: Record<string, string>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE, ...settings }, timeout: 120_000 };
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, program, options, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

const replayOf = (options: SubmitOptions): SubmitOptions & { body: Uint8Array } => ({
  accountId: newId<AccountId>(),
  externalReference: newId(),
  body: randomBytes(32),
  ...options,
});
const withArrival = { enrolments: { arrivalScreen: true } };

/** Creates a supplier's submissions of every kind, with assertions that must hold for every ring with their keys. */
async function submissionsOf(service: TestService, customer: string) {
  const accountId = newId<AccountId>();
  const enquiry = { telephone: customer, companyNumber: undefined, email: `${customer}@example.com` };
  const whole = replayOf({ accountId, enquiry, terms: withArrival });
  const { id, arrivalScreenUrl } = await service.submit(whole);
  await service.decide(id);
  await service.work();
  const other = { ...enquiry, telephone: `${customer}9`, email: `b.${customer}@example.com` };
  const basic = replayOf({ accountId, level: Level.BASIC, enquiry: other });
  const { id: basicId } = await service.submit(basic);
  const correction = {
    submissionId: basicId,
    operationIdempotencyKey: `key ${customer}`,
    bodyFingerprint: randomBytes(32),
    expectedRevision: 0n,
    contact: create(ContactSchema, { firstName: 'Corrected' }),
  };
  await service.onBehalfOf(basic).correctContact(correction);
  const nobody = { telephone: 'n/a', email: 'n/a', companyNumber: undefined };
  const unusable = replayOf({ accountId, level: Level.BASIC, enquiry: nobody });
  const { id: unusableId } = await service.submit(unusable);
  const usable = create(ContactSchema, { email: `c.${customer}@example.com` });
  await service.onBehalfOf(unusable).correctContact({
    ...correction,
    submissionId: unusableId,
    operationIdempotencyKey: `usable ${customer}`,
    contact: usable,
  });
  await service.onBehalfOf(unusable).correctContact({
    ...correction,
    submissionId: unusableId,
    operationIdempotencyKey: `other ${customer}`,
    expectedRevision: 1n,
    contact: create(ContactSchema, { email: `d.${customer}@example.com` }),
  });
  const token = String(arrivalScreenUrl).split('/').at(-1) ?? '';

  return async function holds(at: TestService): Promise<void> {
    const again = await at.submit(whole);
    expect(again).toMatchObject({ id, created: false, arrivalScreenUrl });
    await expect(at.submit({ ...whole, body: randomBytes(32) })).rejects.toThrow('different body');
    await at.onBehalfOf(basic).correctContact(correction);
    await expect(
      at.onBehalfOf(basic).correctContact({ ...correction, bodyFingerprint: randomBytes(32) }),
    ).rejects.toThrow();
    expect(
      await at.as('gateway').getJourneyLink({ token, environment: Environment.PRODUCTION }),
    ).toMatchObject({
      kind: 1,
    });
    const duplicate = await at.submit({ enquiry: { ...enquiry, email: 'new@example.com' } });
    await at.decide(duplicate.id);
    expect(await at.statusOf(duplicate.id)).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    const known = await at.submit({ level: Level.BASIC, enquiry: { ...nobody, email: `${usable.email};` } });
    expect(known.submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    const application = await at.staff.getApplication({ purpose: 'read by a test', submissionId: id });
    expect(application.snapshot?.telephone).toBe(customer);
  };
}

describe('during a key rotation', () => {
  it('each ring finds the same replays, duplicates, operation keys, links and snapshots', async () => {
    const old = await start('old');
    const first = await submissionsOf(old, '02070000001');
    const added = await start('added', old);
    await first(added);
    const second = await submissionsOf(added, '02070000002');
    const switched = await start('switched', old);
    const third = await submissionsOf(switched, '02070000003');
    // Replicas of adjacent steps run side by side, and each can read the other's data.
    for (const holds of [first, second, third]) await holds(switched).then(() => holds(added));

    const status = await rotateKeys(old, 'switched', '--status', '--json');
    expect(status.code).toBe(1);
    const dry = await rotateKeys(old, 'switched', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ rows would be rewritten, 0 values failed\n/),
    });
    const { code, out } = await rotateKeys(old, 'switched');
    expect(out).toMatch(/seal k1: 0 values, can be removed/);
    expect(out).toMatch(/digest d1: 0 values, can be removed/);
    expect(code).toBe(0);

    const late = await start('new', old);
    for (const holds of [first, second, third]) await holds(late);
    expect(await rotateKeys(old, 'new', '--status')).toMatchObject({ code: 0 });
  });
});

describe('two replicas with keys of adjacent steps', () => {
  let added: TestService;
  let switched: TestService;
  beforeEach(async () => {
    added = await start('added');
    switched = await start('switched', added);
  });

  it('the order of receipt decides between two submissions of one customer with different keys', async () => {
    const enquiry = { telephone: '02070000009', companyNumber: undefined };
    const earlier = await added.submitUndecided({ enquiry });
    const later = await switched.submitUndecided({ enquiry });
    await switched.decide(later.id);
    expect(await added.statusOf(earlier.id)).toBe(Status.ACCEPTED);
    expect(await added.statusOf(later.id)).toBe(Status.DUPLICATE_NOT_ACCEPTED);
  });

  it('two replicas accept one of two enquiries that they decide concurrently for one customer', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const enquiry = { telephone: `020700010${String(n).padStart(2, '0')}`, companyNumber: undefined };
        const both = [added, switched].map((at) => at.submit({ level: Level.BASIC, enquiry }));
        return (await Promise.all(both)).map(({ submission }) => submission.status).sort();
      }),
    );
    expect(statuses).toEqual(statuses.map(() => [Status.ACCEPTED, Status.DUPLICATE_NOT_ACCEPTED]));
  });

  it('one set recognises a customer under different keys', async () => {
    const enquiry = { telephone: '02070000010', companyNumber: undefined };
    const ids = [(await added.submit({ enquiry })).id, (await switched.submit({ enquiry })).id];
    await switched.work();
    expect((await Promise.all(ids.map((id) => added.statusOf(id)))).sort()).toEqual([
      Status.ACCEPTED,
      Status.DUPLICATE_NOT_ACCEPTED,
    ]);
  });
});

describe('a key that is removed too early', () => {
  it('is detected at startup and by the command, and does no harm once it is restored', async () => {
    const old = await start('old');
    const holds = await submissionsOf(old, '02070000004');
    await start('switched', old);
    await expect(start('new', old)).rejects.toThrow(
      /SSS_KEY_RING_FILE lacks the (seal key k1|digest key d1)/,
    );
    const { code, out } = await rotateKeys(old, 'new', '--json');
    expect(code).toBe(1);
    const report = JSON.parse(String(out.trim().split('\n').at(-1)));
    expect(report.failed).toBeGreaterThan(0);
    expect(report.keys).toContainEqual(
      expect.objectContaining({ purpose: 'seal', id: 'k1', inRing: false, values: expect.any(Number) }),
    );
    await expect(start('new', old)).rejects.toThrow('lacks');
    const switched = await start('switched', old);
    await holds(switched);
    expect(await rotateKeys(old, 'switched')).toMatchObject({ code: 0 });
    await holds(await start('new', old));
  });
});

describe('a process of the service', () => {
  it('exits with one line when its ring lacks a key in use', async () => {
    const old = await start('old');
    const keys = await databaseAndRing(old, 'new');
    for (const consumer of ['billing', 'webhook'])
      writeFileSync(join(dirname(keys.SSS_KEY_RING_FILE), `${consumer}.json`), RINGS.new);
    const settings = {
      ...keys,
      SSS_EVENT_KEYS_DIR: dirname(keys.SSS_KEY_RING_FILE),
      SSS_RPC_HTTP1_PORT: '1',
      SSS_RPC_H2C_PORT: '2',
      SSS_NATS_URL: 'nats://127.0.0.1:9',
      SSS_ISSUERS_FILE: '/nonexistent',
      SSS_SERVICE_TOKEN_DIR: '/nonexistent',
      SSS_DOCUMENT_URL: 'http://127.0.0.1:9',
      SSS_WEBHOOK_URL: 'http://127.0.0.1:9',
      SSS_PAGES_URL: 'http://127.0.0.1:9',
    };
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const { code, err } = await run([main], settings);
    expect(err).toMatch(
      /^submission: bad configuration: SSS_KEY_RING_FILE lacks the .* key .1, which values .*\n$/m,
    );
    expect(code).toBe(78);
  });
});

it('values whose rows were locked are rotated later, even when other values fail', async () => {
  const old = await start('old');
  const { pool } = old.context;
  const ids = [(await old.submit()).id, (await old.submit()).id, (await old.submit()).id];
  const [, locked] = ids;
  await pool.query(String.raw`UPDATE submission SET enquiry = enquiry || '\x00' WHERE id = $1`, [ids[0]]);
  const renewed = async () => {
    const sql = "SELECT id FROM submission WHERE substring(enquiry FROM 3 FOR 2) = 'k2' ORDER BY id";
    return (await pool.query(sql)).rows.map(({ id }) => id);
  };
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM submission WHERE id = $1 FOR UPDATE', [locked]);
  const rotating = rotateKeys(old, 'switched');
  await eventually('the row that is not locked is rotated', async () => (await renewed()).length === 1);
  await holder.query('COMMIT');
  holder.release();
  expect((await rotating).code).toBe(1);
  expect(await renewed()).toEqual(ids.slice(1).sort());
});

describe('data from an earlier version', () => {
  it('requires its digest key only for bodies, whose fingerprints were not stored', async () => {
    const old = await start('old');
    const options = replayOf({ enquiry: { telephone: '02070000005', companyNumber: undefined } });
    const { id } = await old.submit(options);
    await old.context.pool.query('UPDATE submission SET body_fingerprint = NULL');
    const switched = await start('switched', old);
    const { code, out } = await rotateKeys(old, 'switched');
    expect(out).toMatch(/seal k1: 0 values, can be removed/);
    expect(out).toMatch(/digest d1: 1 values, in use \(1 of them cannot be rotated\)/);
    expect(code).toBe(1);
    expect(await switched.submit(options)).toMatchObject({ id, created: false });
    await expect(start('new', old)).rejects.toThrow('lacks the digest key d1');
  });
});

/** Byte columns that are neither sealed nor keyed digests. */
const OTHERS = /\.envelope$|^key_in_use\.|^submission\.terms$|^journey_link\.code_digest$/;

testRotatedTables(new URL('../', import.meta.url), rotatedTables, OTHERS);
