import { forAllTests } from '@supplier/lib/testing';
import { deliver, submissionOf } from '../../testing/submission-events.ts';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

async function chargedSubmission(): Promise<string> {
  const submission = submissionOf();
  await deliver(service.context, submission.billable());
  return submission.submissionId;
}

describe('the billing database', () => {
  it('has every column of schema.prisma', async () => {
    const { db } = service.context;
    const rows = await Promise.all([
      db.ledgerEntry.findFirst(),
      db.price.findFirst(),
      db.linePrice.findFirst(),
      db.statement.findFirst(),
      db.auditEntry.findFirst(),
      db.failedEvent.findFirst(),
    ]);
    for (const row of rows) expect(row).toBeNull();
  });

  it.each([
    `UPDATE ledger_entry SET kind = 'credit'`,
    'DELETE FROM ledger_entry',
    'DELETE FROM ledger_entry WHERE false',
    'TRUNCATE ledger_entry',
  ])('refuses to rewrite the ledger: %s', async (statement) => {
    const submissionId = await chargedSubmission();
    await expect(service.context.pool.query(statement)).rejects.toThrow(/only ever added/);
    expect(await service.context.db.ledgerEntry.count({ where: { submissionId, kind: 'charge' } })).toBe(1);
  });

  it.each(['price', 'line_price', 'statement'])('refuses to rewrite %s', async (table) => {
    for (const statement of [`DELETE FROM ${table}`, `TRUNCATE ${table}`])
      await expect(service.context.pool.query(statement)).rejects.toThrow(/only ever added/);
  });

  const LINE = `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, event_id, occurred_at, statement_month)
    VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'charge', 'accepted_submission', gen_random_uuid(),`;
  const PRICE = `INSERT INTO price (account_id, billing_model, pence, set_at, effective_from)
    VALUES (gen_random_uuid(), 'accepted_submission', 1,`;
  const STATEMENT = `INSERT INTO statement (account_id, totals, closed_at, month) VALUES (gen_random_uuid(), '{}',`;
  it.each([
    ...['infinity', '-infinity', '2019-12-31T23:59:59Z', '10000-01-01'].flatMap((time) => [
      `${LINE} '${time}', '2026-11-01')`,
      `${STATEMENT} '${time}', '2026-10-01')`,
      `${PRICE} '${time}', now())`,
    ]),
    `${PRICE} now(), 'infinity')`,
    `${PRICE} now(), '-infinity')`,
    ...['infinity', '-infinity', '2019-12-01', '2200-01-01', '9999-12-01', '2026-10-02'].flatMap((month) => [
      `${LINE} now(), '${month}')`,
      `${STATEMENT} now(), '${month}')`,
    ]),
  ])('refuses times and months that nobody can bill: %s', async (statement) => {
    await expect(service.context.pool.query(statement)).rejects.toThrow(/_check/);
  });

  it('rejects a second charge for a submission', async () => {
    const submissionId = await chargedSubmission();
    const again = service.context.pool.query(
      `INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id)
       SELECT gen_random_uuid(), submission_id, account_id, kind, billing_model, now(), gen_random_uuid()
         FROM ledger_entry WHERE submission_id = $1`,
      [submissionId],
    );
    await expect(again).rejects.toThrow();
  });
});
