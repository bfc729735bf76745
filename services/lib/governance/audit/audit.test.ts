import { readFileSync } from 'node:fs';
import { createContextValues } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import pg from 'pg';
import { inTransaction } from '../../data/postgres/index.ts';
import { callerKey } from '../../rpc/rpc-server/index.ts';
import { runInContext } from '../../runtime/request-context/index.ts';
import { createTestDatabase, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { appendAudit, auditEntry, auditedRpc, serviceActor } from './index.ts';
import { auditSealing, sealEntries } from './seal-entries.ts';
import { type ChainReport, type KnownHead, verifyChain } from './verify-chain.ts';

const schema = readFileSync(new URL('audit.sql', import.meta.url), 'utf8');
const NOW = new Date('2026-11-20T12:00:00.000Z');
const ACCOUNT = newId();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ schema });
});
beforeEach(() => asSuperuser('TRUNCATE audit_entry, audit_seal, audit_unsealed RESTART IDENTITY'));
afterAll(() => database?.close());

const entry = (target: string) => ({
  ...{
    actor: 'jo',
    issuer: 'https://people.example',
    roles: ['staff:admin'],
    action: 'TakeOverTerms' as const,
  },
  ...{ at: NOW, target, accountId: ACCOUNT, before: { state: 'active' }, after: { state: 'suspended' } },
});

/** Appends entries with these targets and seals them; they are numbered 1, 2, … */
async function sealed(...targets: string[]): Promise<void> {
  await appendAudit(database.pool, ...targets.map(entry));
  await sealEntries(database.pool, 'test', NOW);
}

/** Runs statements as a database administrator, whom neither grants nor triggers restrict. */
async function asSuperuser(...statements: string[]): Promise<void> {
  await inTransaction(database.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await tx.query(statement);
  });
}

async function verified(known?: KnownHead): Promise<ChainReport> {
  const session = new pg.Client({ connectionString: database.databaseUrl });
  await session.connect();
  try {
    return await verifyChain(session, 'test', known);
  } finally {
    await session.end();
  }
}

async function head(): Promise<KnownHead> {
  const { head: end } = await verified();
  return { position: end.position, hash: Buffer.from(end.hash).toString('hex') };
}

it('an RPC that its contract does not describe for the audit log can write no entry', () => {
  const { getAccount, updateAccount } = AccountService.method;
  expect(() => auditedRpc(getAccount)).toThrow("doesn't describe GetAccount");
  expect(auditedRpc(updateAccount)).toBe('UpdateAccount');
});

describe('appendAudit', () => {
  it('records the actor, roles, action, target, time, purpose and request', async () => {
    const values = createContextValues().set(callerKey, {
      subject: 'jo',
      issuer: 'https://people.example',
      roles: ['staff:privacy', 'staff:viewer'],
      tokenEndsAt: NOW.getTime(),
    });
    const call = { values, method: AccountService.method.updateAccount };
    const act = {
      at: NOW,
      target: 'a',
      accountId: ACCOUNT,
      before: { n: 1 },
      after: { n: [2] },
      purpose: 'asked',
    };
    await runInContext({ requestId: 'r-1', traceParent: '' }, () =>
      appendAudit(database.pool, auditEntry(call, act), {
        ...serviceActor('document'),
        ...{ at: NOW, action: 'Retention', target: '' },
      }),
    );
    const { rows } = await database.pool.query('SELECT * FROM audit_entry ORDER BY sequence');
    const by = { actor: 'jo', issuer: 'https://people.example', roles: ['staff:privacy', 'staff:viewer'] };
    const what = {
      action: 'UpdateAccount',
      target: 'a',
      account_id: ACCOUNT,
      before: { n: 1 },
      after: { n: [2] },
    };
    expect(rows).toEqual([
      { sequence: '1', at: NOW, ...by, ...what, purpose: 'asked', request_id: 'r-1' },
      {
        ...{ sequence: '2', at: NOW, actor: 'service:document', issuer: '', roles: [], action: 'Retention' },
        ...{ target: '', account_id: null, before: null, after: null, purpose: '', request_id: 'r-1' },
      },
    ]);
  });

  it('rolls back with its transaction and leaves no gap in the chain', async () => {
    await sealed('a');
    const failing = inTransaction(database.pool, async (tx) => {
      await appendAudit(tx, entry('b'));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await sealed('c');
    const { rows } = await database.pool.query('SELECT position, sequence FROM audit_seal ORDER BY position');
    expect(rows).toEqual([
      { position: '1', sequence: '1' },
      { position: '2', sequence: '3' },
    ]);
    expect(await verified()).toMatchObject({ sealed: 2, waiting: 0 });
  });

  it('places an entry that commits late after those already sealed', async () => {
    await inTransaction(database.pool, async (tx) => {
      await appendAudit(tx, entry('slow'));
      await sealed('quick');
    });
    expect(await verified()).toMatchObject({ sealed: 1, waiting: 1 });
    expect(await sealEntries(database.pool, 'test', NOW)).toMatchObject({ count: 1, head: { position: 2n } });
    const { rows } = await database.pool.query('SELECT sequence FROM audit_seal ORDER BY position');
    expect(rows).toEqual([{ sequence: '2' }, { sequence: '1' }]);
    expect((await verified()).broken).toBeUndefined();
  });
});

describe('sealEntries', () => {
  it('seals every entry once under concurrent writers and sealers', async () => {
    let writing = true;
    const seal = async () => {
      while (writing) await sealEntries(database.pool, 'test', NOW);
    };
    const sealing = [seal(), seal(), seal()];
    const write = async (of: number) => {
      for (let n = 0; n < 20; n += 1) await appendAudit(database.pool, entry(`${of}`), entry(`${of}`));
    };
    await Promise.all(Array.from({ length: 4 }, (_, of) => write(of)));
    writing = false;
    await Promise.all(sealing);
    await sealEntries(database.pool, 'test', NOW);
    expect(await verified()).toMatchObject({ sealed: 160, waiting: 0 });
    expect((await verified()).broken).toBeUndefined();
  });

  it('seals at most 500 entries in a transaction, and continues without a pause while there are more', async () => {
    await appendAudit(database.pool, ...Array.from({ length: 501 }, (_, n) => entry(String(n))));
    const process = startTestProcess('test');
    const sealing = auditSealing(process, database.pool, { now: () => NOW });
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await sealing.run(undefined));
    expect(runs.map(({ more }) => more)).toEqual([true, false, false]);
    const logged = process.lines.filter(({ msg }) => msg === 'audit entries sealed');
    expect(logged.map(({ count, position }) => [count, position])).toEqual([
      [500, '500'],
      [1, '501'],
    ]);
    await process.stop();
  });

  it('creates a different chain for another service', async () => {
    await sealed('a');
    const session = new pg.Client({ connectionString: database.databaseUrl });
    await session.connect();
    const { broken } = await verifyChain(session, 'other', undefined);
    await session.end();
    expect(broken).toContain('entry 1 differs from what was sealed');
  });

  it('creates a valid chain, including from a known position', async () => {
    await sealed('a', 'b');
    const known = await head();
    await sealed('c');
    expect((await verified(known)).broken).toBeUndefined();
    expect(await verified()).toMatchObject({ sealed: 3, waiting: 0, head: { position: 3n } });
  });
});

describe('verifyChain against a database administrator', () => {
  const VALUES: Record<string, string> = {
    at: `'2026-11-20T12:00:00.001Z'`,
    actor: `'mo'`,
    issuer: `'x'`,
    roles: `'{}'`,
    action: `'x'`,
    target: `'x'`,
    account_id: 'NULL',
    before: 'NULL',
    after: `'{}'`,
    purpose: `'x'`,
    request_id: `'x'`,
  };

  it.each(Object.entries(VALUES))('detects a change of the %s of an entry', async (column, value) => {
    await sealed('a', 'b', 'c');
    await asSuperuser(`UPDATE audit_entry SET ${column} = ${value} WHERE sequence = 2`);
    expect(await verified()).toMatchObject({
      sealed: 1,
      broken: expect.stringMatching(/^entry 2 differs from what was sealed at position 2/),
    });
  });

  it('detects a changed entry on any page of a long chain, and the end of a whole one', async () => {
    await database.pool.query(
      `INSERT INTO audit_entry (at, actor, issuer, roles, action, target, purpose, request_id)
       SELECT $1, 'jo', 'people', '{}', 'UpdateAccount', n::text, '', '' FROM generate_series(1, 2100) n`,
      [NOW],
    );
    while ((await sealEntries(database.pool, 'test', NOW))?.count);
    expect(await verified()).toMatchObject({ sealed: 2_100, waiting: 0 });
    for (const changed of [2_100, 1_100, 1_001, 1_000]) {
      await asSuperuser(`UPDATE audit_entry SET actor = 'mo' WHERE sequence = ${changed}`);
      expect(await verified()).toMatchObject({
        sealed: changed - 1,
        broken: expect.stringContaining(`entry ${changed} differs`),
      });
    }
  });

  it('has a test for every column', async () => {
    const { rows } = await database.pool.query(
      `SELECT attname FROM pg_attribute WHERE attrelid = 'audit_entry'::regclass AND attnum > 1`,
    );
    expect(rows.map(({ attname }) => attname)).toEqual(Object.keys(VALUES));
  });

  it.each<[string, string[], RegExp]>([
    [
      'removes an entry',
      ['DELETE FROM audit_entry WHERE sequence = 2'],
      /^entry 2, sealed at position 2, was removed$/,
    ],
    [
      'removes an entry and its seal',
      ['DELETE FROM audit_entry WHERE sequence = 2', 'DELETE FROM audit_seal WHERE sequence = 2'],
      /^the seal at position 2 was removed$/,
    ],
    [
      'removes an entry and closes the gap',
      [
        'DELETE FROM audit_entry WHERE sequence = 2',
        'DELETE FROM audit_seal WHERE sequence = 2',
        'UPDATE audit_seal SET position = 2 WHERE position = 3',
      ],
      /^entry 3 differs from what was sealed at position 2/,
    ],
    [
      'removes only a seal',
      ['DELETE FROM audit_seal WHERE position = 3'],
      /^entry 3 is neither sealed nor waiting to be sealed$/,
    ],
    [
      'swaps two entries',
      [
        'UPDATE audit_entry SET sequence = 20 WHERE sequence = 2',
        'UPDATE audit_entry SET sequence = 2 WHERE sequence = 3',
        'UPDATE audit_entry SET sequence = 3 WHERE sequence = 20',
      ],
      /^entry 2 differs from what was sealed at position 2/,
    ],
    [
      'swaps two seals',
      [
        'UPDATE audit_seal SET position = 20 WHERE position = 2',
        'UPDATE audit_seal SET position = 2 WHERE position = 3',
        'UPDATE audit_seal SET position = 3 WHERE position = 20',
      ],
      /^entry 3 differs from what was sealed at position 2/,
    ],
    [
      'changes the time of a seal',
      [`UPDATE audit_seal SET sealed_at = sealed_at + interval '1 s' WHERE position = 2`],
      /^entry 2 differs from what was sealed at position 2/,
    ],
    [
      'inserts an entry without a seal',
      [
        `INSERT INTO audit_entry (at, actor, issuer, roles, action, target, purpose, request_id)
         VALUES (now(), 'mo', '', '{}', 'x', '', '', '')`,
      ],
      /^entry 4 is neither sealed nor waiting to be sealed$/,
    ],
    [
      'inserts an entry with an invented seal',
      [
        `INSERT INTO audit_entry (at, actor, issuer, roles, action, target, purpose, request_id)
         VALUES (now(), 'mo', '', '{}', 'x', '', '', '')`,
        `INSERT INTO audit_seal SELECT 4, 4, hash, sealed_at FROM audit_seal WHERE position = 3`,
      ],
      /^entry 4 differs from what was sealed at position 4/,
    ],
  ])('detects an administrator who %s', async (_what, statements, finding) => {
    await sealed('a', 'b', 'c');
    await asSuperuser(...statements);
    expect((await verified()).broken).toMatch(finding);
  });

  it('detects the removal of an entry before it is sealed', async () => {
    await appendAudit(database.pool, entry('a'));
    await asSuperuser('DELETE FROM audit_entry');
    expect((await verified()).broken).toBe('entry 1 was removed before it was sealed');
  });

  it('detects an entry that is kept from being sealed', async () => {
    await appendAudit(database.pool, entry('a'));
    await asSuperuser('DELETE FROM audit_unsealed');
    expect((await verified()).broken).toBe('entry 1 is neither sealed nor waiting to be sealed');
  });

  it('detects when sealing stops', async () => {
    await appendAudit(database.pool, entry('a'));
    await asSuperuser(`UPDATE audit_unsealed SET since = now() - interval '11 minutes'`);
    expect((await verified()).broken).toMatch(/^entry 1 has been unsealed for more than 10 minutes/);
  });

  it('detects the removal of the newest entries with their seals only with a known head', async () => {
    await sealed('a', 'b', 'c');
    const known = await head();
    await asSuperuser(
      'DELETE FROM audit_entry WHERE sequence = 3',
      'DELETE FROM audit_seal WHERE position = 3',
    );
    expect((await verified(known)).broken).toMatch(
      /^the chain ends at position 2, before the known position 3/,
    );
    expect((await verified()).broken).toBeUndefined();
  });

  it('detects a rewritten chain only with a known head', async () => {
    await sealed('a', 'b', 'c');
    const known = await head();
    await asSuperuser(
      `UPDATE audit_entry SET actor = 'mo' WHERE sequence = 2`,
      'DELETE FROM audit_seal',
      'INSERT INTO audit_unsealed SELECT sequence FROM audit_entry',
    );
    await sealEntries(database.pool, 'test', NOW);
    expect((await verified(known)).broken).toMatch(/^position 3 has a different hash from the known one/);
    expect((await verified()).broken).toBeUndefined();
  });
});

it.each(['UPDATE', 'DELETE', 'TRUNCATE'])('audit tables reject %s', async (verb) => {
  await sealed('a');
  for (const table of ['audit_entry', 'audit_seal']) {
    const statements: Record<string, string> = {
      UPDATE: `UPDATE ${table} SET sequence = sequence`,
      DELETE: `DELETE FROM ${table}`,
      TRUNCATE: `TRUNCATE ${table}`,
    };
    await expect(database.pool.query(statements[verb] ?? '')).rejects.toThrow(
      `rows of ${table} are only ever added`,
    );
  }
});
