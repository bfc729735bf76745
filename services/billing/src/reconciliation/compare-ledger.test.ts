import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { charge, linesOf } from '../../testing/ledger.ts';
import { DECIDED_AT, deliver, type Submission } from '../../testing/submission-events.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import type { ShownSubmission } from '../domain/reconciliation.ts';
import { compareLedger } from './compare-ledger.ts';

const AT = '2026-11-01T10:00:00.111Z';
const SPAN = { since: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') };

let service: TestService;
let accountId: AccountId;
beforeAll(async () => {
  service = await openTestService();
});
beforeEach(() => {
  accountId = newId<AccountId>();
});
afterAll(() => service?.close());

const shownAs = (
  { submissionId }: Submission,
  billingStatus: ShownSubmission['billingStatus'],
): ShownSubmission => ({
  submissionId: submissionId as SubmissionId,
  accountId,
  environment: 'production',
  isDecided: true,
  billingStatus,
  billableAt: billingStatus === 'billable' ? DECIDED_AT : null,
});

/** What is found and repaired, of submissions that are listed one on a page; page by page. */
async function compare(shown: readonly ShownSubmission[], repair: boolean) {
  const comparison = compareLedger(
    {
      ...service.context,
      listChanged: async (_span, at) => ({
        submissionIds: shown.slice(Number(at), Number(at) + 1).map(({ submissionId }) => submissionId),
        next: Number(at) + 1 < shown.length ? `${Number(at) + 1}` : '',
      }),
      listShown: async (ids) => shown.filter(({ submissionId }) => ids.includes(submissionId)),
    },
    async () => {},
  );
  const found = [];
  let at = '';
  do {
    const part = await comparison({ span: SPAN, at, repair });
    found.push(...part.differences.map(({ what, repaired }) => [what, repaired]));
    at = part.next;
  } while (at !== '');
  return found;
}

/** Loses lines as no operation of the service can. */
async function lose(kind: 'charge' | 'credit', { submissionId }: Submission) {
  const tx = await service.context.pool.connect();
  try {
    await tx.query("SET session_replication_role = 'replica'");
    await tx.query('DELETE FROM ledger_entry WHERE submission_id = $1 AND kind = $2', [submissionId, kind]);
  } finally {
    tx.release(true);
  }
}

const kindsOf = async () => (await linesOf(service.context, accountId)).map(({ kind }) => kind);

it('enters a lost charge and a lost credit again, and only when asked to', async () => {
  const charged = await charge(service.context, accountId, AT);
  const back = await charge(service.context, accountId, AT);
  await deliver(service.context, back.returned());
  const shown = [shownAs(charged, 'billable'), shownAs(back, 'not_billable')];
  const before = await linesOf(service.context, accountId);
  await lose('charge', charged);
  await lose('credit', back);
  const [notCharged, notCredited] = ['not_charged', 'not_credited'];
  expect(await compare(shown, false)).toEqual([
    [notCharged, false],
    [notCredited, false],
  ]);
  expect(await kindsOf()).toEqual(['charge']);
  expect(await compare(shown, true)).toEqual([
    [notCharged, true],
    [notCredited, true],
  ]);
  expect((await kindsOf()).sort()).toEqual(before.map(({ kind }) => kind).sort());
  expect(await compare(shown, true)).toEqual([]);
});

it('tells a decision again that the submission service has not heard', async () => {
  const charged = await charge(service.context, accountId, AT);
  const told = async () =>
    (await service.context.pool.query('SELECT FROM outbox WHERE aggregate_id = $1', [charged.submissionId]))
      .rowCount;
  const before = (await told()) ?? 0;
  expect(await compare([{ ...shownAs(charged, 'pending'), billableAt: null }], true)).toEqual([
    ['not_credited', true],
  ]);
  expect(await told()).toBe(before + 1);
  expect(await kindsOf()).toEqual(['charge']);
});

it('leaves to people what it cannot know', async () => {
  const charged = await charge(service.context, accountId, AT);
  const stranger = { ...shownAs(charged, 'billable'), accountId: newId<AccountId>() };
  const unknown = { ...shownAs(charged, 'billable'), submissionId: newId<SubmissionId>() };
  expect(await compare([stranger, unknown], true)).toEqual([
    ['other_account', false],
    ['unknown_lead', false],
  ]);
});
