import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingOutcome } from '@supplier/proto/submission/v1/timeline';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const purpose = 'the supplier asked why, case 31';
const read = (submissionId: string, why = purpose) =>
  service.staff.getDecisionFacts({ submissionId, purpose: why });
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => refusalOf(error)?.code,
  );
const entriesOf = (target: SubmissionId) =>
  service.context.db.auditEntry.findMany({ where: { target, action: 'GetDecisionFacts' } });
/** A sole trader whose turnover was too small for the account. */
const rejected = () =>
  service.submit({
    enquiry: { businessStructure: 4, annualTurnoverGbp: 48_611 },
    terms: { thresholds: { minimumAnnualTurnoverGbp: 50_000 } },
  });

describe('GetDecisionFacts', () => {
  it('returns the compared values, which the timeline leaves out', async () => {
    const { id } = await rejected();
    expect(await read(id)).toMatchObject({
      decision: "annual turnover of at most 48,611 is below the account's minimum 50,000",
    });
    const line = await service.staff.getTimeline({ submissionId: id });
    expect(line.status).toBe(Status.REJECTED);
    expect(JSON.stringify(line, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).not.toMatch(/\b48,?611\b/);
  });

  it('refuses an unknown submission', async () => {
    expect(await codeOf(read(newId()))).toBe(RefusalCode.NOT_FOUND);
  });

  it('reports that data has been erased, without an audit entry', async () => {
    const { id } = await rejected();
    await service.context.pool.query('UPDATE submission SET enquiry = NULL WHERE id = $1', [id]);
    expect(await codeOf(read(id))).toBe(RefusalCode.WRONG_STATE);
    expect(await entriesOf(id)).toEqual([]);
  });
});

it('the timeline does not disclose which part of a condition applied', async () => {
  const kindsOf = async (over: object) => {
    const { id } = await service.submit({ enquiry: { creditScreening: { provider: 'p', ...over } } });
    const { entries } = await service.staff.getTimeline({ submissionId: id });
    return entries.flatMap(({ what }) =>
      what.case === 'preUnderwriting' && what.value.outcome !== PreUnderwritingOutcome.CLEARED
        ? what.value.comparedKinds
        : [],
    );
  };
  expect(await kindsOf({ unsatisfiedCcjs: 2 })).toEqual(await kindsOf({ unsatisfiedCcjCount: 3 }));
});
