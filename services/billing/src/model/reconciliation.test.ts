import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import type { BilledState } from './ledger.ts';
import { type ComparedLine, canRepair, FAULTS, type Fault, faultOf } from './reconciliation.ts';

const AT = new Date('2026-11-01T10:00:00.111Z');
const LATER = new Date('2026-11-04T10:00:00.444Z');
const accountId = newId<AccountId>();

const state: BilledState = {
  submissionId: newId<SubmissionId>(),
  accountId,
  billingModel: 'accepted_submission',
  billableAt: null,
  returnedAt: null,
};
const BILLABLE = { ...state, billableAt: AT };
const RETURNED = { ...state, returnedAt: LATER };

const charge: ComparedLine = { accountId, kind: 'charge', occurredAt: AT };
const credit: ComparedLine = { accountId, kind: 'credit', occurredAt: LATER };
const stranger = { accountId: newId<AccountId>() };

describe('faultOf a billable submission', () => {
  it.each<[string, ComparedLine[], Fault | undefined]>([
    ['a charge at that time', [charge], undefined],
    ['no line', [], 'not_charged'],
    ['a charge at another time', [{ ...charge, occurredAt: LATER }], 'other_time'],
    ['a charge and a credit', [charge, credit], 'credited'],
    ['a credit only', [credit], 'credit_alone'],
    ['a charge on another account', [{ ...charge, ...stranger }], 'other_account'],
    ['a credit on another account', [charge, { ...credit, ...stranger }], 'other_account'],
  ])('classifies %s', (_, lines, fault) => {
    expect(faultOf(BILLABLE, lines)).toBe(fault);
    expect(faultOf(BILLABLE, [...lines].reverse())).toBe(fault);
  });
});

describe.each([
  ['pending or not billable', state],
  ['returned', RETURNED],
])('faultOf a submission that is %s', (_, shown) => {
  it.each<[string, ComparedLine[], Fault | undefined]>([
    ['no line', [], undefined],
    ['a charge and a credit', [charge, credit], undefined],
    ['a charge only', [charge], 'not_credited'],
    ['a credit only', [credit], 'credit_alone'],
    ['a charge on another account', [{ ...charge, ...stranger }], 'other_account'],
  ])('classifies %s', (__, lines, fault) => {
    expect(faultOf(shown, lines)).toBe(fault);
  });
});

it('canRepair covers a missing charge, and the missing credit of a returned submission', () => {
  const repairable = (shown: BilledState) =>
    Object.keys(FAULTS).filter((fault) => canRepair(fault as Fault, shown));
  expect(repairable(BILLABLE)).toEqual(['not_charged']);
  expect(repairable(RETURNED)).toEqual(['not_charged', 'not_credited']);
});
