import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { appendAudit, sealEntries, serviceActor } from '@supplier/lib/governance/audit';
import { openTestDatabase, type TestDatabase } from '../testing/test-service.ts';

// Each run of the command starts a separate process.
jest.setTimeout(60_000);

const COMMAND = fileURLToPath(new URL('verify-audit.ts', import.meta.url));

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database?.close());

/** Runs the command to completion with the service's database role. */
function verifyAudit(...args: string[]): Promise<{ code: number; out: string }> {
  const settings = { SSS_DEPLOYMENT: 'local', SSS_DATABASE_URL: database.runtimeUrl };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE, ...settings }, timeout: 120_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], options, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout }),
    );
  });
}

async function seal(count: number): Promise<void> {
  const act = { at: new Date(), action: 'Retention', target: 't' } as const;
  await appendAudit(
    database.pool,
    ...Array.from({ length: count }, () => ({ ...serviceActor('account'), ...act })),
  );
  await sealEntries(database.pool, 'account', new Date());
}

/** Runs statements with triggers disabled, as a database administrator could. */
async function alter(...statements: string[]): Promise<void> {
  for (const table of ['audit_entry', 'audit_seal'])
    await database.pool.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  for (const statement of statements) await database.pool.query(statement);
}

async function recorded(): Promise<unknown[]> {
  const { rows } = await database.pool.query('SELECT head, broken FROM audit_verification ORDER BY sequence');
  return rows;
}

it('reports an intact log with its head, records it only with --record, and misses what was recorded', async () => {
  expect(await verifyAudit('--record')).toMatchObject({ code: 0 });
  await seal(3);
  const { code, out } = await verifyAudit('--record');
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^account: intact: 3 sealed entries, 0 waiting to be sealed, head 3:[0-9a-f]{64}\n$/,
    ),
  });
  const [, head = ''] = /head (\S+)/.exec(out) ?? [];
  const intact = [
    { head: expect.stringMatching(/^0:/), broken: null },
    { head, broken: null },
  ];
  expect(await recorded()).toEqual(intact);
  await alter('DELETE FROM audit_entry WHERE sequence = 3', 'DELETE FROM audit_seal WHERE sequence = 3');
  // Without a known head, the remaining entries look intact.
  expect(await verifyAudit('--json')).toEqual({ code: 0, out: expect.stringContaining('"sealed":2') });
  expect(await recorded()).toEqual(intact);
  for (const args of [['--record'], ['--record'], ['--head', head]])
    expect(await verifyAudit(...args)).toMatchObject({
      code: 1,
      out: expect.stringContaining('its newest entries were removed'),
    });
});

it('names the first altered entry, records it, and exits with 1', async () => {
  await seal(3);
  await alter(`UPDATE audit_entry SET actor = 'mo' WHERE sequence = 2`);
  expect(await verifyAudit('--record')).toEqual({
    code: 1,
    out: expect.stringMatching(
      /^account: BROKEN: entry 2 differs from what was sealed at position 2.*\naccount: intact up to 1:/,
    ),
  });
  const broken = expect.stringMatching(/^entry 2 differs from what was sealed/);
  expect(await recorded()).toEqual([{ head: expect.stringMatching(/^1:/), broken }]);
  const { code, out } = await verifyAudit('--json');
  const found = { code: 1, service: 'account', sealed: 1, waiting: 0, broken };
  expect({ code, ...JSON.parse(out) }).toMatchObject(found);
});

it.each([
  [['--help'], { code: 0, out: expect.stringContaining('--head') }],
  [['--hed', '1'], { code: 78 }],
  [['--head', '1:zz'], { code: 78 }],
])('answers %j', async (args, answer) => {
  expect(await verifyAudit(...args)).toMatchObject(answer);
});
