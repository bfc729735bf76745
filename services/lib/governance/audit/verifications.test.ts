import { readFileSync } from 'node:fs';
import { createTestDatabase, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { appendAudit, sealEntries, serviceActor } from './index.ts';
import { measureVerification, recordVerification } from './verifications.ts';

const sql = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const HEAD = `1:${'0'.repeat(64)}`;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ schema: sql('audit.sql') + sql('audit-verification.sql') });
});
afterEach(() => database?.close());

/** Returns the metrics of a newly started process. */
async function measured(): Promise<{ broken: string | undefined; hours: number }> {
  const { metrics } = startTestProcess('test');
  measureVerification({ metrics }, database.pool);
  const page = await metrics.metrics();
  const of = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(page)?.[1];
  return {
    broken: of('sss_audit_broken'),
    hours: Math.floor(Number(of('sss_audit_unverified_age_seconds')) / 3_600),
  };
}

async function sealed(hoursAgo: number): Promise<void> {
  const at = new Date(Date.now() - hoursAgo * HOUR_MS);
  await appendAudit(database.pool, { ...serviceActor('test'), at, action: 'Retention', target: 't' });
  await sealEntries(database.pool, 'test', at);
}

const earlier = (hours: number) =>
  database.pool.query(`UPDATE audit_verification SET verified_at = verified_at - $1 * interval '1 hour'`, [
    hours,
  ]);

describe('measureVerification', () => {
  it('counts from the first seal if never verified, and reports 0 while nothing is sealed', async () => {
    expect(await measured()).toEqual({ broken: '0', hours: 0 });
    await sealed(50);
    await sealed(3);
    expect(await measured()).toEqual({ broken: '0', hours: 50 });
  });

  it('counts from the last successful verification, regardless of later findings', async () => {
    await sealed(50);
    await recordVerification(database.pool, { head: HEAD });
    await earlier(20);
    expect(await measured()).toEqual({ broken: '0', hours: 20 });

    await recordVerification(database.pool, { head: HEAD, broken: 'entry 1 was removed' });
    expect(await measured()).toEqual({ broken: '1', hours: 20 });

    await recordVerification(database.pool, { head: HEAD });
    expect(await measured()).toEqual({ broken: '0', hours: 0 });
  });

  it('has no value while the database is unavailable, because an unknown log is not a verified one', async () => {
    await database.pool.query('DROP TABLE audit_verification');
    expect(await measured()).toEqual({ broken: undefined, hours: Number.NaN });
  });
});
