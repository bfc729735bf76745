import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import type { BatchResult, BatchResults } from '@supplier/proto/submission/v1/staff_batches';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const EXCLUDED = '00000000-0000-7000-8000-000000000000';
const TEN = Array.from({ length: 10 }, (_, number) => `staff-${number}`);
const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;

const waiting = async () => (await service.submit({ terms: { decisionMode: DecisionMode.STAFF } })).id;
const accepted = async () => {
  const { id } = await service.submit();
  await service.decide(id);
  return id;
};
/** Creates an accepted submission whose pre-underwriting has failed and awaits review. */
const queued = async () => {
  const { id } = await service.submit({
    enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } },
    terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF },
  });
  await service.decide(id);
  await service.work();
  return id;
};
const many = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
const decision = (submissionId: string, decided = Status.REJECTED) => ({
  submissionId,
  decision: decided,
  reason: 'seen',
});
const decide = (ids: readonly string[]) =>
  service.staff.decideSubmissions({ decisions: ids.map((id) => decision(id)) });
/** Returns the outcome of each item: a status or the code of a refusal. */
const outcomesOf = ({ results }: BatchResults) => results.map(outcomeOf);
const outcomeOf = ({ outcome }: BatchResult) =>
  outcome.case === 'done' ? Status[outcome.value.status] : RefusalCode[outcome.value?.code ?? 0];
const refusedIn = ({ outcome }: BatchResult) => (outcome.case === 'refused' ? outcome.value : undefined);

describe('a batch', () => {
  it('returns a result for each item in order, and a rejected item does not affect the others', async () => {
    const [first, second, last] = await many(3, waiting);
    const answer = await service.staff.decideSubmissions({
      decisions: [
        decision(first ?? ''),
        decision(EXCLUDED),
        decision(second ?? '', Status.RECEIVED),
        decision(last ?? '', Status.DUPLICATE_NOT_ACCEPTED),
      ],
    });
    expect(answer.results.map(({ submissionId }) => submissionId)).toEqual([first, EXCLUDED, second, last]);
    expect(outcomesOf(answer)).toEqual([
      'REJECTED',
      'NOT_FOUND',
      'VALIDATION_ERROR',
      'DUPLICATE_NOT_ACCEPTED',
    ]);
    expect(answer.results.map(refusedIn)[1]?.message).toBe('There is no such submission.');
    expect(answer.results.map(refusedIn)[2]?.violations).toMatchObject([{ path: 'decision' }]);
    expect(await service.statusOf(second as SubmissionId)).toBe(Status.RECEIVED);
  });

  it('reports only that an item failed, without details, and processes the others', async () => {
    const [broken, sound] = await many(2, waiting);
    await service.context.pool.query('UPDATE submission SET enquiry = $2 WHERE id = $1', [
      broken,
      Buffer.from('no envelope'),
    ]);
    const { results } = await decide([broken ?? '', sound ?? '']);
    expect(results.map(refusedIn)[0]).toMatchObject({
      code: RefusalCode.UNSPECIFIED,
      message: 'internal error',
    });
    expect(await service.statusOf(sound as SubmissionId)).toBe(Status.REJECTED);
  });

  it('reports completed items as done when sent again, and processes the rest', async () => {
    const [one, other] = await many(2, waiting);
    expect(outcomesOf(await decide([one ?? '']))).toEqual(['REJECTED']);
    expect(outcomesOf(await decide([one ?? '', other ?? '']))).toEqual(['WRONG_STATE', 'REJECTED']);
  });

  it('is rejected with all its items when it names a submission twice', async () => {
    const [one = '', other = ''] = await many(2, waiting);
    const refused = await decide([one, other, one.toUpperCase()]).then(() => undefined, refusalOf);
    expect(refused?.code).toBe(RefusalCode.VALIDATION_ERROR);
    expect(refused?.violations.map(({ path }) => path)).toEqual(['decisions.2.submission_id']);
    expect(await service.statusOf(one as SubmissionId)).toBe(Status.RECEIVED);
    expect(await service.statusOf(other as SubmissionId)).toBe(Status.RECEIVED);
  });

  it('works for returns and completions, with one audit entry for each item', async () => {
    const [submission, left] = [await accepted(), await queued()];
    const returned = await service.staff.returnSubmissions({
      returns: [submission, EXCLUDED].map((submissionId) => ({ submissionId, reasonCategory })),
    });
    expect(outcomesOf(returned)).toEqual(['RETURNED', 'NOT_FOUND']);
    const completions = [left, submission].map((submissionId) => ({
      submissionId,
      outcome: PreUnderwritingState.CLEARED,
    }));
    const completed = await service.staff.completePreUnderwritings({ completions });
    expect(outcomesOf(completed)).toEqual(['ACCEPTED', 'WRONG_STATE']);
    const audit = await service.context.db.auditEntry.findMany({
      where: { target: { in: [submission, left] } },
      orderBy: { sequence: 'asc' },
    });
    expect(audit.map(({ action, target, actor }) => [action, target, actor])).toEqual([
      ['ReturnSubmissions', submission, 'jo'],
      ['CompletePreUnderwritings', left, 'jo'],
    ]);
  });

  it('accepts one of a hundred submissions from the same customer', async () => {
    const enquiry = { companyNumber: newCompanyNumber() };
    const terms = { decisionMode: DecisionMode.STAFF };
    const all = await many(100, () => service.submit({ terms, enquiry }));
    const answer = await service.staff.decideSubmissions({
      decisions: all.map(({ id }) => decision(id, Status.ACCEPTED)),
    });
    const outcomes = outcomesOf(answer);
    expect(outcomes.filter((outcome) => outcome === 'ACCEPTED')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'WRONG_STATE')).toHaveLength(99);
  });
});

describe('ten concurrent requests by staff', () => {
  const contest = async (act: (staff: TestService['staff']) => Promise<unknown>) => {
    const ended = await Promise.allSettled(TEN.map((name) => act(service.staffNamed(name))));
    const winners = TEN.filter((_, index) => ended[index]?.status === 'fulfilled');
    const refusals = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(winners).toHaveLength(1);
    expect(refusals.map((error) => refusalOf(error)?.code)).toEqual(Array(9).fill(RefusalCode.WRONG_STATE));
    for (const error of refusals) expect(String(error)).toContain(`, by ${winners[0]} at 2026-11-20T10:00:`);
    return refusals.map(String);
  };

  it('make one decision, and the others learn who decided and when', async () => {
    const submissionId = await waiting();
    const [said] = await contest((staff) => staff.decideSubmission(decision(submissionId)));
    expect(said).toMatch(/already been decided, by \S+ at \S+, and is rejected\.$/);
  });

  it('make one return, and the others learn who returned it and when', async () => {
    const submissionId = await accepted();
    await contest((staff) => staff.returnSubmission({ submissionId, reasonCategory }));
  });

  it('complete one pre-underwriting, and the others learn who completed it and when', async () => {
    const submissionId = await queued();
    const outcome = PreUnderwritingState.CLEARED;
    const [said] = await contest((staff) => staff.completePreUnderwriting({ submissionId, outcome }));
    expect(said).toMatch(/: cleared\.$/);
  });

  it('learn that the policy has already decided', async () => {
    const submissionId = await accepted();
    await expect(service.staff.decideSubmission(decision(submissionId))).rejects.toThrow(
      /by the policy at \S+, and is accepted/,
    );
  });
});

it('releasing work distinguishes released work from work that is not parked or does not exist', async () => {
  const [parked, other] = await many(2, waiting);
  await service.context.pool.query('UPDATE submission SET work_parked_at = now() WHERE id = $1', [parked]);
  const { results, releasedIds } = await service.staff.releaseParkedWork({
    submissionIds: [other ?? '', parked ?? '', EXCLUDED],
  });
  expect(results).toMatchObject([
    { submissionId: other, outcome: ReleaseOutcome.NOT_PARKED },
    { submissionId: parked, outcome: ReleaseOutcome.RELEASED },
    { submissionId: EXCLUDED, outcome: ReleaseOutcome.UNKNOWN },
  ]);
  expect(releasedIds).toEqual([parked]);
});
