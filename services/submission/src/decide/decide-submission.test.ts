import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';
import { lockSubmissions, undecidedSubmissionOf } from '../store/load-submissions.sql.ts';
import { loadDecisionFacts } from './decision-facts.sql.ts';

const service = forAllTests(() => openTestService());

const byStaff = { terms: { decisionMode: DecisionMode.STAFF } };
const decide = (submissionId: SubmissionId, decision = Status.ACCEPTED) =>
  service.staff.decideSubmission({ submissionId, decision, reason: 'seen' });
const outcomes = async (all: Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map((one) =>
    one.status === 'fulfilled' ? 'accepted' : refusalOf(one.reason)?.code,
  );

describe('a decision by staff', () => {
  it('accepts one of several concurrent decisions for one customer, and advises on the others', async () => {
    const enquiry = { companyNumber: newCompanyNumber() };
    const waiting = await Promise.all([1, 2, 3].map(() => service.submit({ ...byStaff, enquiry })));
    const ended = await outcomes(waiting.map(({ id }) => decide(id)));
    expect(ended.sort()).toEqual([RefusalCode.WRONG_STATE, RefusalCode.WRONG_STATE, 'accepted'].sort());
    const left = (
      await Promise.all(waiting.map(async ({ id }) => ({ id, status: await service.statusOf(id) })))
    ).filter(({ status }) => status === Status.RECEIVED);
    expect(left).toHaveLength(2);
    for (const { id } of left) {
      await expect(decide(id)).rejects.toThrow('duplicate_not_accepted');
      expect((await decide(id, Status.DUPLICATE_NOT_ACCEPTED)).status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    }
  });

  it('accepts a duplicate with accept_duplicate, and records the earlier submission', async () => {
    const enquiry = { companyNumber: newCompanyNumber() };
    const earlier = await service.submit({ enquiry });
    await service.decide(earlier.id);
    const waiting = await service.submit({ ...byStaff, enquiry });
    await expect(decide(waiting.id)).rejects.toThrow(earlier.id);
    const given = { submissionId: waiting.id, reason: 'two branches', acceptDuplicate: true };
    const wrong = service.staff.decideSubmission({ ...given, decision: Status.REJECTED });
    expect(await wrong.then(() => undefined, refusalOf)).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'accept_duplicate' }],
    });
    const { status } = await service.staff.decideSubmission({ ...given, decision: Status.ACCEPTED });
    expect(status).toBe(Status.ACCEPTED);
    const [entry] = await service.context.db.auditEntry.findMany({ where: { target: waiting.id } });
    expect(entry?.after).toEqual({ status: 'ACCEPTED', duplicateOf: earlier.id });
    const { entries } = await service.staff.getTimeline({ submissionId: waiting.id });
    expect(entries.map(({ what }) => what)).toContainEqual(
      expect.objectContaining({
        case: 'decided',
        value: expect.objectContaining({ reason: 'two branches', duplicateOf: earlier.id }),
      }),
    );
  });

  it('waits for an earlier submission that a policy decides', async () => {
    const enquiry = { companyNumber: newCompanyNumber() };
    service.at('2026-11-20T10:00:00Z');
    const earlier = await service.submitUndecided({ enquiry });
    service.at('2026-11-20T10:00:01Z');
    const waiting = await service.submit({ ...byStaff, enquiry });
    await expect(decide(waiting.id)).rejects.toThrow('duplicate_not_accepted');
    expect(await service.statusOf(earlier.id)).toBe(Status.ACCEPTED);
  });

  it('ends the parking of its submission, whose Application is then created', async () => {
    const { id } = await service.submitUndecided({ level: Level.BASIC });
    await service.context.pool.query('UPDATE submission SET work_parked_at = now() WHERE id = $1', [id]);
    await decide(id);
    await service.work();
    const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ workParkedAt: null, applicationReference: expect.stringMatching(/^APP-/) });
  });

  it('counts towards the cap of the account, on the day of the decision', async () => {
    const accountId = newId<AccountId>();
    const caps = { acceptedPerDay: 1 };
    service.at('2026-11-20T10:00:00Z');
    const waiting = await service.submit({ accountId, terms: { ...byStaff.terms, caps } });
    service.at('2026-11-21T10:00:00Z');
    await decide(waiting.id);
    const { id } = await service.submit({ accountId, terms: { caps } });
    await service.decide(id);
    expect(await service.statusOf(id)).toBe(Status.REJECTED);
  });
});

describe('the locks of a decision', () => {
  const facts = { duplicateWindowDays: 90, now: new Date() };

  it('apply within one account in the sandbox, so that the same customer elsewhere does not block', async () => {
    const { pool } = service.context;
    const enquiry = { companyNumber: newCompanyNumber() };
    const make = () => service.submitUndecided({ enquiry, environment: Environment.SANDBOX });
    const [one, other] = [await make(), await make()];
    await inTransaction(pool, async (tx) => {
      const rows = await lockSubmissions(tx, [one.id]);
      await loadDecisionFacts(
        tx,
        rows.map((row) => undecidedSubmissionOf(service.context, row)),
        facts,
      );
      // The decision of another account succeeds while this account's keys are locked.
      await service.decide(other.id);
    });
    expect(await service.statusOf(other.id)).toBe(Status.ACCEPTED);
  });

  it('never deadlock when many run concurrently in any order', async () => {
    const email = (index: number) => `ring-${index}@example.test`;
    const telephone = (index: number) => `0791${String(1_000_000 + index).slice(1)}0`;
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        service[index % 2 ? 'submit' : 'submitUndecided']({
          enquiry: { email: email(index % 7), telephone: telephone(index % 5) },
        }),
      ),
    );
    await Promise.all([...made].reverse().map(({ id }) => service.decide(id)));
    const statuses = await Promise.all(made.map(({ id }) => service.statusOf(id)));
    expect(statuses).not.toContain(Status.RECEIVED);
  });
});

it('concurrent creates with the same references in different orders all succeed', async () => {
  const accountId = newId<AccountId>();
  const references = Array.from({ length: 128 }, () => newId());
  const body = Buffer.alloc(32);
  const enquiry = { email: 'same@example.test', telephone: '07911 900900' };
  const submit = (externalReference: string) =>
    service.submit({ accountId, externalReference, body, enquiry });
  for (let round = 0; round < 3; round += 1) {
    const all = await Promise.all([...references.map(submit), ...[...references].reverse().map(submit)]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(128);
  }
});
