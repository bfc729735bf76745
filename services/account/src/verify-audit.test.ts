import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { appendAudit, sealEntries, serviceActor } from '@supplier/lib/audit';
import { openTestDatabase, type TestDatabase } from '../testing/test-database.ts';

// The command is a process of its own.
import.meta.jest.setTimeout(60_000);

const COMMAND = fileURLToPath(new URL('verify-audit.ts', import.meta.url));

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database?.close());

/** Runs the command as the service's own role, to its end. */
function verifyAudit(...args: string[]): Promise<{ code: number; out: string }> {
  const settings = { SSS_DEPLOYMENT: 'local', SSS_DATABASE_URL: database.runtimeUrl };
  const options = { env: { PATH: process.env.PATH, ...settings }, timeout: 20_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], options, (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout }),
    );
  });
}

async function seal(count: number): Promise<void> {
  const act = { at: new Date(), action: 'Test', target: 't' };
  await appendAudit(
    database.pool,
    ...Array.from({ length: count }, () => ({ ...serviceActor('account'), ...act })),
  );
  await sealEntries(database.pool, 'account', new Date());
}

describe('verify-audit', () => {
  it('says what is whole, with the head to keep, and ends with 0', async () => {
    await seal(2);
    const { code, out } = await verifyAudit();
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^account: 2 entries are what was sealed, 0 wait for their seal, head 2:[0-9a-f]{64}\n$/,
      ),
    });
    const [, head = ''] = /head (\S+)/.exec(out) ?? [];
    await seal(1);
    expect(await verifyAudit('--head', head)).toMatchObject({ code: 0 });
    expect(await verifyAudit('--head', head.replace(/^2/, '9'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('its newest entries were removed'),
    });
  });

  it('names the first entry that was altered, and ends with 1', async () => {
    await seal(3);
    await database.pool.query('ALTER TABLE audit_entry DISABLE TRIGGER ALL');
    await database.pool.query(`UPDATE audit_entry SET actor = 'mo' WHERE sequence = 2`);
    expect(await verifyAudit()).toEqual({
      code: 1,
      out: expect.stringMatching(
        /^account: BROKEN: entry 2 is not what was sealed at position 2.*\naccount: good up to 1:/,
      ),
    });
    const { code, out } = await verifyAudit('--json');
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 1,
      service: 'account',
      sealed: 1,
      waiting: 0,
    });
  });

  it('is as good with nothing in it', async () => {
    expect(await verifyAudit('--json')).toEqual({ code: 0, out: expect.stringContaining('"sealed":0') });
  });

  it('explains itself, and refuses what it does not know', async () => {
    expect(await verifyAudit('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--head') });
    for (const args of [
      ['--hed', '1'],
      ['--head', '1'],
      ['--head', '1:zz'],
    ])
      expect(await verifyAudit(...args)).toMatchObject({ code: 78 });
  });
});
