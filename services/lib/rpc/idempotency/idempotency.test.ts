import { readFileSync } from 'node:fs';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { PoolClient } from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import { createTestDatabase, inProcessClient, refused, type TestDatabase } from '../../testing/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { forgetOldCalls, type IdempotentCalls, openIdempotentCalls } from './index.ts';

const CONFLICT = { code: 'AlreadyExists', refusal: 'IDEMPOTENCY_CONFLICT' };
const schema = readFileSync(new URL('idempotency.sql', import.meta.url), 'utf8');

let database: TestDatabase;
let idempotent: IdempotentCalls<PoolClient>;
beforeAll(async () => {
  database = await createTestDatabase({ schema: `${schema} CREATE TABLE act (name TEXT NOT NULL);` });
  const { pool } = database;
  idempotent = openIdempotentCalls({ pool, transact: (work) => inTransaction(pool, work) });
});
afterAll(() => database?.close());
beforeEach(async () => {
  await database.pool.query('TRUNCATE act, idempotent_call');
});

const rowsOf = async (table: 'act' | 'idempotent_call') =>
  (await database.pool.query(`SELECT * FROM ${table}`)).rows;
const person = (subject: string, issuer = 'people') => ({
  caller: { subject, issuer, roles: ['staff:admin'] },
});

/** CreateAccount acts in one transaction; IssueCredential also involves another service. */
function accounts(actor = person('ada'), failing: { before?: Error; after?: Error } = {}) {
  return inProcessClient(
    AccountService,
    (router) =>
      router.service(AccountService, {
        createAccount: idempotent.once(({ name }, _, act) =>
          act(async (tx) => {
            await tx.query('INSERT INTO act VALUES ($1)', [name]);
            if (failing.before) throw failing.before;
            return { accountId: crypto.randomUUID(), name };
          }),
        ),
        issueCredential: idempotent.resumable(async (request, _, act) => {
          await act.begin(async (tx) => {
            await tx.query('INSERT INTO act VALUES ($1)', [request.accountId]);
            if (failing.before) throw failing.before;
          });
          if (failing.after) throw failing.after;
          return act.end({ bearer: act.id() ?? 'none' });
        }),
      }),
    actor,
  );
}

const wrongState = () => refuse(RefusalCode.WRONG_STATE, 'Not now.');

describe('a call with an idempotency key', () => {
  it('acts once and returns the first answer each time', async () => {
    const request = { name: 'Sample', idempotencyKey: 'k' };
    const first = await accounts().createAccount(request);
    expect(await accounts().createAccount(request)).toEqual(first);
    expect(await rowsOf('act')).toHaveLength(1);
  });

  it.each(['createAccount', 'issueCredential'] as const)(
    'acts once for simultaneous calls of %s',
    async (rpc) => {
      const request = { name: 'Sample', accountId: 'a', idempotencyKey: 'k' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => accounts()[rpc](request)));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(await rowsOf('act')).toHaveLength(1);
    },
  );

  it.each(['createAccount', 'issueCredential'] as const)(
    'rejects the key with a different %s request and acts only once',
    async (rpc) => {
      const request = { name: 'Sample', accountId: 'a', idempotencyKey: 'k' };
      const first = await accounts()[rpc](request);
      const other = { ...request, name: 'Another', accountId: 'b' };
      expect(await refused(accounts()[rpc](other))).toMatchObject(CONFLICT);
      expect(await accounts()[rpc](request)).toEqual(first);
      expect(await rowsOf('act')).toHaveLength(1);
    },
  );

  it('rejects one of two different simultaneous requests', async () => {
    const calls = ['One', 'Two'].map((name) => accounts().createAccount({ name, idempotencyKey: 'k' }));
    const ends = await Promise.allSettled(calls);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rowsOf('act')).toHaveLength(1);
  });

  it('ignores the approval when comparing requests', async () => {
    const request = { accountId: 'a', idempotencyKey: 'k' };
    const first = await accounts().issueCredential({ ...request, approvalId: 'first' });
    expect(await accounts().issueCredential({ ...request, approvalId: 'second' })).toEqual(first);
  });

  it.each([
    ['another person', person('bob'), 'createAccount'],
    ['the same subject of another issuer', person('ada', 'elsewhere'), 'createAccount'],
    ['another RPC', person('ada'), 'issueCredential'],
  ] as const)('treats the key as unused for %s', async (_, actor, rpc) => {
    await accounts().createAccount({ name: 'Sample', idempotencyKey: 'k' });
    await accounts(actor)[rpc]({ name: 'Sample', accountId: 'a', idempotencyKey: 'k' });
    expect(await rowsOf('act')).toHaveLength(2);
    expect(await rowsOf('idempotent_call')).toHaveLength(2);
  });

  it.each(['createAccount', 'issueCredential'] as const)(
    'leaves the key unused when %s is refused, and acts on the next call',
    async (rpc) => {
      const request = { name: 'Sample', accountId: 'a', idempotencyKey: 'k' };
      expect(await refused(accounts(undefined, { before: wrongState() })[rpc](request))).toMatchObject({
        refusal: 'WRONG_STATE',
      });
      expect([await rowsOf('act'), await rowsOf('idempotent_call')]).toEqual([[], []]);
      await accounts()[rpc](request);
      expect(await rowsOf('act')).toHaveLength(1);
    },
  );

  it('resumes an interrupted action under the same id', async () => {
    const request = { accountId: 'a', idempotencyKey: 'k' };
    const interrupted = accounts(undefined, { after: new Error('the process ended') });
    expect(await refused(interrupted.issueCredential(request))).toMatchObject({ code: 'Internal' });
    const [{ id }] = await rowsOf('idempotent_call');
    const { bearer } = await accounts().issueCredential(request);
    expect(bearer).toBe(id);
    expect(await rowsOf('act')).toHaveLength(1);
  });

  it('resumes an action under the same id however often the other service is unavailable', async () => {
    const request = { accountId: 'a', idempotencyKey: 'k' };
    const unavailable = refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Later.');
    const ids = new Set<string>();
    for (let time = 0; time < 3; time += 1) {
      const away = accounts(undefined, { after: unavailable }).issueCredential(request);
      expect(await refused(away)).toMatchObject({ code: 'Unavailable' });
      ids.add((await rowsOf('idempotent_call'))[0]?.id);
    }
    expect([(await accounts().issueCredential(request)).bearer]).toEqual([...ids]);
    expect(await rowsOf('act')).toHaveLength(1);
  });

  it('frees the key when an action is refused after it started', async () => {
    const request = { accountId: 'a', idempotencyKey: 'k' };
    const { issueCredential } = accounts(undefined, { after: wrongState() });
    expect(await refused(issueCredential(request))).toMatchObject({ refusal: 'WRONG_STATE' });
    expect(await rowsOf('idempotent_call')).toEqual([]);
  });

  it('stores only digests of the key and the request', async () => {
    await accounts().createAccount({ name: 'Sample', idempotencyKey: 'for Ada Example' });
    const [{ answer, ...row }] = await rowsOf('idempotent_call');
    expect(Object.keys(row).sort()).toEqual(['begun_at', 'id', 'key_sha256', 'request_sha256']);
    expect(Buffer.concat([row.key_sha256, row.request_sha256]).toString()).not.toMatch(/Ada|Sample/);
    expect(answer).not.toBeNull();
  });

  it('expires after seven days', async () => {
    for (const key of ['old', 'new']) await accounts().createAccount({ name: 'Sample', idempotencyKey: key });
    const [{ id }] = await rowsOf('idempotent_call');
    const age = (interval: string) =>
      database.pool.query('UPDATE idempotent_call SET begun_at = now() - $2::interval WHERE id = $1', [
        id,
        interval,
      ]);
    await age('6 days 23 hours');
    expect(await forgetOldCalls.run(database)).toEqual({ count: 0, more: false });
    await age('7 days 1 minute');
    expect(await forgetOldCalls.run(database)).toEqual({ count: 1, more: false });
    expect((await rowsOf('idempotent_call')).map((row) => row.id)).not.toContain(id);
  });

  it('is forgotten in batches of 500, oldest first', async () => {
    await database.pool.query(
      `INSERT INTO idempotent_call (key_sha256, id, request_sha256, begun_at)
       SELECT sha256(n::text::bytea), gen_random_uuid(), sha256(''), '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 s'
         FROM generate_series(1, 1001) AS n ORDER BY n DESC`,
    );
    const latest = new Date(Date.parse('2026-01-01T00:00:00Z') + 1_001_000);
    for (const count of [500, 500]) {
      expect(await forgetOldCalls.run(database)).toEqual({ count, more: true });
      expect((await rowsOf('idempotent_call')).map((row) => row.begun_at)).toContainEqual(latest);
    }
    expect(await forgetOldCalls.run(database)).toEqual({ count: 1, more: false });
  });
});

describe('a call without an idempotency key', () => {
  it.each(['createAccount', 'issueCredential'] as const)(
    'acts on each call of %s and stores no row',
    async (rpc) => {
      const request = { name: 'Sample', accountId: 'a' };
      await accounts()[rpc](request);
      await accounts()[rpc](request);
      expect(await rowsOf('act')).toHaveLength(2);
      expect(await rowsOf('idempotent_call')).toEqual([]);
    },
  );
});
