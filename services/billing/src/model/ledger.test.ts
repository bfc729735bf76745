import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { type BilledState, linesOf } from './ledger.ts';

const BILLABLE_AT = new Date('2026-11-01T10:00:00.111Z');
const RETURNED_AT = new Date('2026-11-04T10:00:00.444Z');

const submission = { submissionId: newId<SubmissionId>(), accountId: newId<AccountId>() };
const stated = (state: Partial<BilledState>) => ({
  ...submission,
  billingModel: 'application_created' as const,
  billableAt: null,
  returnedAt: null,
  ...state,
  eventId: newId<EventId>(),
});
const CHARGE = { kind: 'charge', occurredAt: BILLABLE_AT, chargedAt: BILLABLE_AT };
const CREDIT = { kind: 'credit', occurredAt: RETURNED_AT, chargedAt: BILLABLE_AT };

describe('linesOf a single state', () => {
  it.each([
    ['neither billable nor returned', {}, []],
    ['billable', { billableAt: BILLABLE_AT }, [CHARGE]],
    [
      'returned, after it was billable',
      { billableAt: BILLABLE_AT, returnedAt: RETURNED_AT },
      [CHARGE, CREDIT],
    ],
    [
      'returned, without the time it was billable',
      { returnedAt: RETURNED_AT },
      [{ ...CREDIT, chargedAt: null }],
    ],
  ])('returns the lines of a submission that is %s', (_, state, lines) => {
    expect(linesOf([stated(state)])).toMatchObject(lines);
    expect(linesOf([stated(state)])).toHaveLength(lines.length);
  });

  it('names the account, the model and the event, and gives each line a unique id', () => {
    const state = stated({ billableAt: BILLABLE_AT, returnedAt: RETURNED_AT });
    const { billableAt: _, returnedAt: __, ...facts } = state;
    const lines = linesOf([state]);
    expect(lines).toMatchObject([facts, facts]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(2);
  });
});

describe('linesOf several states', () => {
  it('returns one charge and one credit per submission, each with the first event that states it', () => {
    const charged = stated({ billableAt: BILLABLE_AT });
    const returned = stated({ billableAt: BILLABLE_AT, returnedAt: RETURNED_AT });
    const other = { ...stated({ billableAt: BILLABLE_AT }), submissionId: newId<SubmissionId>() };
    expect(linesOf([charged, other, returned, charged, returned])).toMatchObject([
      { ...CHARGE, eventId: charged.eventId },
      { ...CHARGE, submissionId: other.submissionId },
      { ...CREDIT, eventId: returned.eventId },
    ]);
    expect(linesOf([returned, charged])).toMatchObject([
      { ...CHARGE, eventId: returned.eventId },
      { ...CREDIT, eventId: returned.eventId },
    ]);
  });

  it('credits a charge of the same set when the return does not state the billable time', () => {
    const returned = stated({ returnedAt: RETURNED_AT });
    expect(linesOf([returned, stated({ billableAt: BILLABLE_AT })])).toMatchObject([CHARGE, CREDIT]);
  });
});
