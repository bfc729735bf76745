import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KeyRing } from '@supplier/lib/data/crypto';
import { eventually } from '@supplier/lib/testing';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { basicSubmissions } from '../testing/basic-submissions.ts';
import { newCompanyNumber } from '../testing/sample-enquiry.ts';
import { openTestService, type TestService } from '../testing/test-service.ts';
import { readConfig } from './config.ts';
import { renewedTables } from './store/renewed-match-keys.sql.ts';

// The command runs in a separate process.
jest.setTimeout(60_000);

const COMMAND = fileURLToPath(new URL('renew-match-keys.ts', import.meta.url));
const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const RING = JSON.stringify({ primary: 'k1', keys: { k1: bytes(1) }, digestKey: bytes(101) });

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'renew-match-keys-'));
  writeFileSync(join(folder, 'ring.json'), RING);
  service = await openTestService({ keyRing: KeyRing.fromJson(RING) });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service?.close();
});

/** Starts the command on the database of the service; it exits on completion or after 20 s. */
async function start(args: string[] = [], settings: Record<string, string> = {}) {
  const { rows } = await service.context.pool.query<{ name: string }>('SELECT current_database() AS name');
  const url = Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), { pathname: rows[0]?.name });
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    SSS_DEPLOYMENT: 'local',
    SSS_DATABASE_URL: url.href,
    SSS_KEY_RING_FILE: join(folder, 'ring.json'),
    ...settings,
  };
  let ended: (result: { code: number | string | null; out: string; err: string }) => void;
  const end = new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    ended = resolve;
  });
  const child = execFile(process.execPath, [COMMAND, ...args], { env, timeout: 120_000 }, (error, out, err) =>
    ended({ code: error ? (error.code ?? error.signal ?? null) : 0, out, err }),
  );
  return { child, end };
}
const runToEnd = async (args: string[] = [], settings: Record<string, string> = {}) =>
  (await start(args, settings)).end;

/** Renews the keys in this process. */
async function renew(): Promise<void> {
  const renewal = { renewed: () => {}, failed: (where: string) => expect(where).toBeUndefined() };
  for (const table of renewedTables(service.context.pool, service.context)) await table.renew(renewal);
}

/** Stores submissions as the previous release did: with its digests, and without a rule id. */
async function asStoredBefore(ids: string[], stored: { company?: string; telephone?: string }) {
  const { pool, keyRing } = service.context;
  const digest = (purpose: string, text?: string) =>
    text === undefined ? null : keyRing.digest(`match/${purpose}`, text);
  await pool.query(
    `UPDATE submission SET match_rule = '1', company_hash = coalesce($2, company_hash),
                           telephone_hash = coalesce($3, telephone_hash) WHERE id = ANY($1)`,
    [ids, digest('company', stored.company), digest('telephone', stored.telephone)],
  );
}
const accepted = async (options: Parameters<TestService['submit']>[0] = {}) => {
  const { id, submission } = await service.submit({ level: Level.BASIC, ...options });
  expect(submission.status).toBe(Status.ACCEPTED);
  return id;
};
const keysOf = async (id: string) => {
  const { rows } = await service.context.pool.query<{ company: boolean; telephone: boolean; rule: string }>(
    `SELECT company_hash IS NOT NULL AS company, telephone_hash IS NOT NULL AS telephone, match_rule AS rule
       FROM submission WHERE id = $1`,
    [id],
  );
  return rows[0];
};

describe('match keys of a different rule', () => {
  it('are renewed: placeholders are removed, variants of a number become one key, and the rest is kept', async () => {
    const placeholder = await accepted({ enquiry: { companyNumber: 'N/A', telephone: '0' } });
    const short = await accepted({ enquiry: { companyNumber: 'sc 1234' } });
    const companyNumber = newCompanyNumber();
    const plain = await accepted({ enquiry: { companyNumber } });
    await asStoredBefore([placeholder], { company: '00000N/A', telephone: '0' });
    await asStoredBefore([short], { company: '00SC1234' });
    await asStoredBefore([plain], {});

    const status = await runToEnd(['--status', '--json']);
    expect(status.code).toBe(1);
    expect(JSON.parse(status.out)).toMatchObject({
      renewed: 0,
      tables: [{ name: 'submission', due: 3 }, { due: 0 }, { due: 0 }],
    });
    expect(await runToEnd()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/submission: 3 rows renewed, 0 failed\n.* 0 by another/),
    });
    expect(await keysOf(placeholder)).toEqual({ company: false, telephone: false, rule: '5' });
    const again = { level: Level.BASIC } as const;
    for (const number of ['SC001234', companyNumber]) {
      const { submission } = await service.submit({ ...again, enquiry: { companyNumber: number } });
      expect([number, submission.status]).toEqual([number, Status.DUPLICATE_NOT_ACCEPTED]);
    }
  });

  it('are removed and restored with the list of excluded values, including those of corrections', async () => {
    const allSubmitted = basicSubmissions(service);
    const enquiry = { telephone: '020 7946 0001' };
    const submitted = await allSubmitted.submit({ enquiry });
    await allSubmitted.correct(submitted, 0, { telephone: '020 7946 0002' });
    const SSS_IGNORED_MATCH_VALUES = 'telephone:020 7946 0001,telephone:02079460002';
    const find = (telephone: string) =>
      service.privacy
        .findPerson({ telephone, purpose: 'a test' })
        .then(({ submissions }) => submissions.length);
    expect(await runToEnd([], { SSS_IGNORED_MATCH_VALUES })).toMatchObject({ code: 0 });
    expect(await keysOf(submitted.id)).toMatchObject({ telephone: false });
    expect([await find('020 7946 0001'), await find('020 7946 0002')]).toEqual([0, 0]);
    await renew();
    expect([await find('020 7946 0001'), await find('020 7946 0002')]).toEqual([1, 1]);
    const { submission } = await service.submit({ level: Level.BASIC, enquiry });
    expect(submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    // The service accepts the same list.
    expect(() => readConfig({ SSS_IGNORED_MATCH_VALUES })).not.toThrow('SSS_IGNORED_MATCH_VALUES');
  });

  it('are not created for sandbox simulations or erased submissions', async () => {
    const played = await accepted({
      environment: Environment.SANDBOX,
      enquiry: { businessName: 'Sandbox Accept Ltd', companyNumber: newCompanyNumber() },
    });
    const erased = await accepted();
    await service.context.pool.query(
      'UPDATE submission SET enquiry = NULL, company_hash = NULL, telephone_hash = NULL, email_hash = NULL WHERE id = $1',
      [erased],
    );
    await asStoredBefore([played, erased], {});
    await renew();
    expect(await keysOf(played)).toEqual({ company: false, telephone: false, rule: '5' });
    expect(await keysOf(erased)).toEqual({ company: false, telephone: false, rule: '1' });
  });
});

describe('the renew-match-keys command', () => {
  it('continues after being killed half-way, while the service keeps deciding', async () => {
    const first = await accepted();
    const { pool } = service.context;
    await asStoredBefore([first], {});
    const ids = await Promise.all(Array.from({ length: 220 }, async () => (await service.submit()).id));
    await asStoredBefore(ids, {});
    const due = async () =>
      (
        await pool.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM submission WHERE match_rule = '1' AND enquiry IS NOT NULL`,
        )
      ).rows[0]?.n ?? 0;
    // The service locks one row in the middle, so that no pass can finish the work.
    const held = await pool.connect();
    await held.query('BEGIN');
    await held.query('SELECT FROM submission WHERE id = $1 FOR UPDATE', [[...ids].sort()[110]]);
    const { child, end } = await start();
    await eventually('all but the row that is held are done', async () => (await due()) === 1);
    await service.work();
    child.kill('SIGKILL');
    await end;
    await held.query('COMMIT');
    held.release();
    await service.work();
    expect(await due()).toBe(1);
    await renew();
    expect(await due()).toBe(0);
    const { rows } = await pool.query('SELECT DISTINCT status FROM submission WHERE id = ANY($1)', [ids]);
    expect(rows).toEqual([{ status: Status.ACCEPTED }]);
  });

  it('reports an unreadable row, renews the others, and exits with 1', async () => {
    const ids = [await accepted(), await accepted()];
    await asStoredBefore(ids, {});
    await service.context.pool.query('UPDATE submission SET enquiry = $2 WHERE id = $1', [
      ids[0],
      Buffer.alloc(64),
    ]);
    const { code, out, err } = await runToEnd();
    expect(code).toBe(1);
    expect(out).toContain('1 rows renewed, 1 failed');
    expect(`${out}${err}`).toContain(ids[0]);
  });

  it('prints its usage', async () => {
    const [help, wrong] = await Promise.all([runToEnd(['--help']), runToEnd(['--stats'])]);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('--status') });
    expect(wrong).toMatchObject({ code: 78, err: expect.stringContaining('usage:') });
  });
});
