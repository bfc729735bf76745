import { inTransaction } from '@supplier/lib/data/postgres';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';
import { NO_HASHES } from '../model/match-hashes.ts';
import { lockSubmissions, undecidedSubmissionOf } from '../store/load-submissions.sql.ts';
import { MATCH_QUERY, matchParameters } from './decision-facts.sql.ts';

const service = forAllTests(() => openTestService());

describe('the search for another submission from the same customer', () => {
  it('uses the match key indexes and never an account index, regardless of table statistics', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId, environment: Environment.SANDBOX });
    const { pool } = service.context;
    // Adds many rows to the account before the planner has statistics for them, as after a burst.
    await pool.query('ALTER TABLE submission SET (autovacuum_enabled = false)');
    for (const status of [1, 2]) {
      await pool.query(
        `INSERT INTO submission (id, account_id, environment, external_reference, level, status, awaits_staff, received_at,
                                 decided_at, billing_model, billing_status, not_billable_reason, changed_at, version, terms,
                                 telephone_hash, email_hash)
         SELECT gen_random_uuid(), account_id, environment, 'burst ' || $2::int || n, level, $2::int, awaits_staff,
                received_at, CASE WHEN $2::int = 2 THEN received_at END, billing_model, billing_status,
                not_billable_reason, changed_at, version, terms, sha256(int4send(n)), sha256(int4send(-n))
           FROM submission, generate_series(1, 5000) AS n WHERE id = $1`,
        [id, status],
      );
    }
    await inTransaction(pool, async (client) => {
      const [row] = await lockSubmissions(client, [id]);
      const { matchable } = undecidedSubmissionOf(service.context, row!);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${MATCH_QUERY}`,
        matchParameters([matchable], 90),
      );
      const text = rows.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toContain('submission_accepted_telephone_idx');
      expect(text).toContain('submission_undecided_email_idx');
      expect(text).not.toMatch(/Seq Scan on submission|external_reference/);
      const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) => Number(count));
      expect(Math.max(0, ...removed)).toBeLessThan(10);
    });
  });

  it('does not read promotions of the same customer from before its window', async () => {
    const { id } = await service.submit();
    const { pool } = service.context;
    await pool.query(
      `WITH old AS (
         INSERT INTO submission (id, account_id, environment, external_reference, level, status, awaits_staff, received_at,
                                 decided_at, billing_model, billing_status, billable_at, not_billable_reason, changed_at,
                                 version, terms)
         SELECT gen_random_uuid(), account_id, environment, 'promoted ' || n, level, 2, false, received_at, received_at,
                billing_model, billing_status, billable_at, not_billable_reason, changed_at, version, terms
           FROM submission, generate_series(1, 2000) AS n WHERE id = $1
         RETURNING id, environment, received_at)
       INSERT INTO promoted_keys (submission_id, environment, promoted_at, stated, match_digest_key, match_rule,
                                  company_hash, telephone_hash, email_hash)
       SELECT o.id, o.environment, o.received_at - interval '91 days', '', w.match_digest_key, w.match_rule,
              w.company_hash, w.telephone_hash, w.email_hash
         FROM old o, submission w WHERE w.id = $1`,
      [id],
    );
    await inTransaction(pool, async (client) => {
      const [row] = await lockSubmissions(client, [id]);
      const { matchable } = undecidedSubmissionOf(service.context, row!);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${MATCH_QUERY}`,
        matchParameters([matchable], 90),
      );
      const text = rows.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toContain('promoted_keys_telephone_idx');
      const read = [...text.matchAll(/actual rows=([\d.]+)/g)].map(([, count]) => Number(count));
      const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) => Number(count));
      expect(Math.max(...read, ...removed)).toBeLessThan(10);
    });
  });
});

describe('the probes of a search', () => {
  const hash = (byte: number) => new Uint8Array(32).fill(byte);
  const sought = (hashes: object) => ({
    id: newId<SubmissionId>(),
    accountId: newId<AccountId>(),
    environment: Environment.PRODUCTION,
    receivedAt: null,
    ...NO_HASHES,
    ...hashes,
  });

  it.each(['companyHash', 'telephoneHash', 'emailHash'])(
    'include a submission whose only key is %s',
    (key) => {
      const one = sought({ [key]: hash(1) });
      expect(matchParameters([sought({}), one], 90)[0]).toEqual([one.id]);
    },
  );

  it('use each digest key during a rotation', () => {
    const other = { ...NO_HASHES, emailHash: hash(2) };
    const one = sought({ emailHash: hash(1), hashesUnderOtherKeys: [other] });
    const parameters = matchParameters([one], 90);
    expect([parameters[0], parameters[6]]).toEqual([
      [one.id, one.id],
      [hash(1), hash(2)],
    ]);
  });
});
