import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LedgerEntry } from '@supplier/proto/billing/v1/billing';
import { BillingModel, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newAccount } from '../../harness/accounts.ts';
import { chargesAndCredits, ledgerOf } from '../../harness/billing.ts';
import { deleteRows, EVENT_AND_ATTEMPTS } from '../../harness/delete-rows.ts';
import { eventsOf, newEndpoint, startReceiver } from '../../harness/endpoints.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { staff } from '../../harness/rpc.ts';
import { stackFile } from '../../harness/stack.ts';
import { staffShell } from '../../harness/staff-cli.ts';
import { decided, isBilled, type SupplierApi, settled } from '../../harness/suppliers.ts';
import { finalized } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const RECONCILED_MS = 180_000;
const shell = staffShell();
afterAll(shell.close);

interface Finding {
  readonly service: string;
  readonly kind: string;
  readonly what: string;
  readonly target: string;
  readonly repair: string;
}

/** Returns the findings of `sss reconcile` about these targets, and its exit code. */
async function findings(targets: readonly string[], ...more: string[]) {
  const { code, stdout, stderr } = await shell.run(
    'reconcile',
    '--since',
    '-1h',
    '--until',
    'now',
    '--json',
    ...more,
  );
  if (code !== 0 && code !== 9) throw new Error(`sss reconcile ended with ${code}: ${stderr}`);
  const all = (JSON.parse(stdout) as { findings: Finding[] }).findings;
  const ours = all.filter(({ target }) => targets.includes(target));
  return {
    code,
    all,
    ours: ours.map(({ service, what, target, repair }) => [service, what, target, repair]),
  };
}

/** The statement of the guide that reverses a line, without its transaction. */
const REVERSAL = readFileSync(new URL('../../../docs/reconciling.md', import.meta.url), 'utf8')
  .replace(/^.*?(?=INSERT INTO)/s, '')
  .replace(/RETURNING.*$/s, '')
  .replaceAll(":'submission'", '$1');

/** Returns the ids of a submission's changes, published or not. */
const changesOf = (id: string) =>
  rowsOf('submission', 'SELECT event_id AS id FROM domain_event WHERE aggregate_id = $1 ORDER BY id', [id]);

/** Returns everything that a supplier sees of a submission: its status, its sent events, and its pending events. */
async function seenOf(api: SupplierApi, submissionId: string, events: number) {
  const sent = await eventsOf(
    submissionId,
    'settled',
    (all) => all.length >= events && all.every(({ settledAt }) => settledAt !== undefined),
  );
  const changes = await changesOf(submissionId);
  const status = await settled(api, submissionId, 'there', () => true);
  return { status, changes, sent: sent.map(({ eventId, state }) => [eventId, state]) };
}

/** Returns the amount that a supplier pays by a line, regardless of the event that caused it. */
const priceOf = ({ kind, occurredAt, pence, statementMonth }: LedgerEntry) => ({
  kind,
  occurredAt,
  pence,
  statementMonth,
});

/** Deletes the object of a document, from wherever a scan has moved it. */
const loseObject = (documentId: string): Promise<void> =>
  waitFor('the object of the document to be there', async () => {
    const sql = 'SELECT area::text AS area, held_key AS key FROM document WHERE id = $1';
    const [row] = (await rowsOf('document', sql, [documentId])) as { area: string; key: string }[];
    if (!row) throw new NotYet('no document');
    const file = join(dirname(stackFile()), 'documents', row.area, row.key);
    if (!existsSync(file)) throw new NotYet(file);
    rmSync(file);
  });

it(
  'sss reconcile finds a lost ledger line, a lost event and a lost object, and repairs the first two',
  async () => {
    const receiver = await startReceiver();
    const account = await newAccount();
    await newEndpoint(account.accountId, receiver.url, 'production');
    const api = await account.issue({ environment: 'production' });
    const { submission_id: billed } = await decided(api, enquiry());
    await ledgerOf(billed, (submitted) => chargesAndCredits(submitted).includes('charge'));
    const events = await eventsOf(billed, 'delivered', (all) => all.length >= 1);
    const { documentId } = await finalized(api);

    await deleteRows('billing', 'DELETE FROM ledger_entry WHERE submission_id = $1', billed);
    for (const { eventId } of events) await deleteRows('webhook', EVENT_AND_ATTEMPTS, eventId);
    await loseObject(documentId);

    const targets = [billed, documentId];
    const without = await findings(targets);
    expect(without.code).toBe(9);
    expect(new Set(without.ours.map((row) => row.join(' ')))).toEqual(
      new Set([
        `billing not_charged ${billed} unspecified`,
        `webhook missing ${billed} unspecified`,
        `document missing ${documentId} unspecified`,
      ]),
    );
    expect(
      new Set(without.all.filter(({ what }) => what === 'outbox').map(({ service }) => service)),
    ).toEqual(new Set(['account', 'submission', 'document', 'webhook']));

    const repaired = await findings(targets, '--repair', '--yes');
    expect(new Set(repaired.ours.map((row) => row.join(' ')))).toEqual(
      new Set([
        `billing not_charged ${billed} repaired`,
        `webhook missing ${billed} repaired`,
        `document missing ${documentId} not_possible`,
      ]),
    );
    await staff.document().deleteDocument({ documentId });
    await waitFor('everything to agree again', async () => {
      const { ours } = await findings(targets);
      if (ours.length > 0) throw new NotYet(JSON.stringify(ours));
    });
    expect(chargesAndCredits(await ledgerOf(billed))).toEqual(['charge']);
    await receiver.close();
  },
  RECONCILED_MS,
);

it(
  'sss reconcile posts a charge that billing has lost, once, without any effect that the supplier can see',
  async () => {
    const receiver = await startReceiver();
    const account = await newAccount();
    await newEndpoint(account.accountId, receiver.url, 'production');
    await staff.billing().setPrice({
      accountId: account.accountId,
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      pence: 2_500,
    });
    const api = await account.issue({ environment: 'production' });
    const { submission_id: kept } = await decided(api, enquiry());
    const { submission_id: back } = await decided(api, enquiry());
    const both = [kept, back];
    for (const id of both) await settled(api, id, 'billed', isBilled);
    await staff
      .submission()
      .returnSubmission({ submissionId: back, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS });
    await ledgerOf(back, (submitted) => chargesAndCredits(submitted).includes('credit'));
    const seen = () => Promise.all([seenOf(api, kept, 1), seenOf(api, back, 2)]);
    const before = await seen();
    const charged = await ledgerOf(kept);

    await deleteRows('billing', 'DELETE FROM ledger_entry WHERE submission_id = $1', kept);
    await deleteRows('billing', 'DELETE FROM ledger_entry WHERE submission_id = $1', back, 2);

    // The charge and the credit of the returned submission cancel out, so neither is missed.
    const rows = (repair: string) => [['billing', 'not_charged', kept, repair]];
    const without = await findings(both);
    expect(without.ours).toEqual(rows('unspecified'));
    // Two people repair concurrently.
    const repaired = await Promise.all([1, 2].map(() => findings(both, '--repair', '--yes')));
    expect(repaired.flatMap(({ ours }) => ours)).toEqual(expect.arrayContaining(rows('repaired')));
    await waitFor('both sides to agree again', async () => {
      const { ours } = await findings(both);
      if (ours.length > 0) throw new NotYet(JSON.stringify(ours));
    });

    const again = await ledgerOf(kept);
    expect(again.billing).toEqual(charged.billing);
    expect(again.entries.map(priceOf)).toEqual(charged.entries.map(priceOf));
    expect(chargesAndCredits(again)).toEqual(['charge']);
    expect(chargesAndCredits(await ledgerOf(back))).toEqual([]);
    expect(await seen()).toEqual(before);
    await receiver.close();
  },
  RECONCILED_MS,
);

/** Charges an account, by its id in $1, for a submission, last month, as an attacker with the database's password would. */
const plantCharge = (submissionId: string) => `
  INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id)
  VALUES (gen_random_uuid(), '${submissionId}', $1, 'charge', 'accepted_submission',
          now() - interval '1 month', gen_random_uuid())`;

it(
  'sss reconcile finds what no submission explains in every service, and the month with such lines stays open',
  async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const [forged, event] = [randomUUID(), randomUUID()];
    const sandboxed = await decided(await account.issue({ environment: 'sandbox' }), enquiry());
    const others = await decided(await other.issue({ environment: 'sandbox' }), enquiry());
    const { documentId } = await finalized(await other.issue({ environment: 'production' }));
    const month = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 7);
    const planted = [forged, sandboxed.submission_id, others.submission_id];
    const statement = `${other.accountId} 2020-01`;
    try {
      for (const id of planted) await deleteRows('billing', plantCharge(id), account.accountId);
      await deleteRows(
        'billing',
        `INSERT INTO statement (account_id, month, closed_at, totals)
         VALUES ($1, '2020-01-01', now(), '{"accepted_submission": {"charges": 1}}')`,
        other.accountId,
      );
      await deleteRows(
        'webhook',
        `INSERT INTO event (id, submission_id, account_id, environment, change, occurred_at, recorded_at, state, settled_at)
         VALUES ('${event}', '${forged}', $1, 'production', 'decided', now(), now(), 'dropped', now())`,
        account.accountId,
      );
      await deleteRows(
        'document',
        `UPDATE document SET submission_id = '${forged}' WHERE id = $1`,
        documentId,
      );

      const { code, ours } = await findings([...planted, documentId, statement], '--repair', '--yes');
      expect(code).toBe(9);
      expect(new Set(ours.map((row) => row.join(' ')))).toEqual(
        new Set([
          `billing unexplained ${forged} not_possible`,
          `billing other_environment ${sandboxed.submission_id} not_possible`,
          `billing other_account ${others.submission_id} not_possible`,
          `billing other_totals ${statement} not_possible`,
          `webhook unexplained ${forged} not_possible`,
          `document unexplained ${documentId} not_possible`,
        ]),
      );
      const table = await shell.run('reconcile', '--since', '-1h', '--until', 'now');
      expect(table.code).toBe(9);
      expect(table.stdout).toMatch(new RegExp(`^billing +difference +unexplained +${forged}`, 'm'));
      expect(table.stdout).toContain(event);

      const close = () =>
        shell.run('statements', 'close', account.accountId, month, '--allow-unpriced', '--yes');
      const refused = await close();
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('Run sss reconcile');
      for (const id of planted) await deleteRows('billing', REVERSAL, id);
      expect(await close()).toMatchObject({ code: 0 });
    } finally {
      const remove = (service: string, sql: string, id: string, count: number) =>
        deleteRows(service, sql, id, count).catch(() => {});
      await remove('billing', 'DELETE FROM ledger_entry WHERE account_id = $1', account.accountId, 6);
      for (const { accountId } of [account, other])
        await remove('billing', 'DELETE FROM statement WHERE account_id = $1', accountId, 1);
      await remove('webhook', 'DELETE FROM event WHERE id = $1', event, 1);
      await staff.document().deleteDocument({ documentId });
    }
  },
  RECONCILED_MS,
);

it(
  'sss reconcile finds the records of a submission that a restored older submission database lacks',
  async () => {
    const receiver = await startReceiver();
    const account = await newAccount();
    await newEndpoint(account.accountId, receiver.url, 'production');
    const api = await account.issue({ environment: 'production' });
    const { submission_id: lost } = await decided(api, enquiry());
    await ledgerOf(lost, (submitted) => chargesAndCredits(submitted).includes('charge'));
    const events = await eventsOf(lost, 'delivered', (all) => all.length >= 1);
    const changes = (await changesOf(lost)).length;

    await deleteRows('submission', 'DELETE FROM domain_event WHERE aggregate_id = $1', lost, changes);
    await deleteRows('submission', 'DELETE FROM application WHERE submission_id = $1', lost);
    await deleteRows('submission', 'DELETE FROM submission WHERE id = $1', lost);
    const { code, ours } = await findings([lost]);
    expect(code).toBe(9);
    expect(new Set(ours.map((row) => row.join(' ')))).toEqual(
      new Set([`billing unexplained ${lost} unspecified`, `webhook unexplained ${lost} unspecified`]),
    );

    await deleteRows('billing', 'DELETE FROM ledger_entry WHERE submission_id = $1', lost);
    for (const { eventId } of events) await deleteRows('webhook', EVENT_AND_ATTEMPTS, eventId);
    await receiver.close();
  },
  RECONCILED_MS,
);

it('sss reconcile repairs nothing without confirmation', async () => {
  const { code, stdout, stderr } = await shell.run('reconcile', '--repair');
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
  expect(stderr).toContain('add --yes');
});
