import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import {
  type ComparedLine,
  canRepair,
  closingFaultOf,
  FAULTS,
  type Fault,
  faultOf,
  type ListedState,
} from './reconciliation.ts';

const AT = new Date('2026-11-01T10:00:00.111Z');
const LATER = new Date('2026-11-04T10:00:00.444Z');
const accountId = newId<AccountId>();

const state: ListedState = {
  submissionId: newId<SubmissionId>(),
  accountId,
  billingModel: 'accepted_submission',
  billableAt: null,
  returnedAt: null,
  isProduction: true,
};
const BILLABLE = { ...state, billableAt: AT };
const RETURNED = { ...state, returnedAt: LATER };

const charge: ComparedLine = {
  submissionId: state.submissionId,
  accountId,
  kind: 'charge',
  billingModel: state.billingModel,
  occurredAt: AT,
  isInMonth: true,
  pence: 2_500,
  isPriced: true,
};
const credit: ComparedLine = { ...charge, kind: 'credit', occurredAt: LATER };
const stranger = { accountId: newId<AccountId>() };

describe('faultOf a billable submission', () => {
  it.each<[string, ComparedLine[], Fault | undefined]>([
    ['a charge at that time', [charge], undefined],
    ['no line', [], 'not_charged'],
    ['a charge at no time', [{ ...charge, occurredAt: null }], 'invalid_time'],
    ['a charge in another month', [{ ...charge, isInMonth: false }], 'other_month'],
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
  ['pending or not billable', state, 'not_billable'],
  ['returned', RETURNED, 'not_credited'],
] as const)('faultOf a submission that is %s', (_, shown, uncredited) => {
  it.each<[string, ComparedLine[], Fault | undefined]>([
    ['no line', [], undefined],
    ['a charge and a credit', [charge, credit], undefined],
    ['a charge only', [charge], uncredited],
    ['a credit only', [credit], 'credit_alone'],
    ['a charge on another account', [{ ...charge, ...stranger }], 'other_account'],
    [
      'a charge of another model',
      [{ ...charge, billingModel: 'application_created' }, credit],
      'other_model',
    ],
    ['a credit of another amount', [charge, { ...credit, isPriced: false }], 'other_amount'],
  ])('classifies %s', (__, lines, fault) => {
    expect(faultOf(shown, lines)).toBe(fault);
  });
});

it('faultOf classifies a credit whose time is not that of the return', () => {
  expect(faultOf(RETURNED, [charge, { ...credit, occurredAt: AT }])).toBe('other_time');
});

describe.each([
  ['unknown', undefined, 'unexplained'],
  ['in the sandbox', { ...state, isProduction: false }, 'other_environment'],
] as const)('faultOf a submission that is %s', (_, shown, fault) => {
  it.each<[string, ComparedLine[], Fault | undefined]>([
    ['no line', [], undefined],
    ['a charge', [charge], fault],
    ['a credit', [credit], fault],
    ['a charge and its reversal', [charge, credit], undefined],
    ['a reversal of another amount', [charge, { ...credit, pence: 2_400 }], fault],
    [
      'unpriced lines that cancel out',
      [
        { ...charge, pence: null },
        { ...credit, pence: null },
      ],
      undefined,
    ],
  ])('classifies %s', (__, lines, expected) => {
    expect(faultOf(shown, lines)).toBe(expected);
    expect(faultOf(shown, [...lines].reverse())).toBe(expected);
  });
});

it('closingFaultOf lets a month close with right, reversed and missing lines only', () => {
  const other = { ...charge, ...stranger };
  expect(
    [
      closingFaultOf(BILLABLE, [charge]),
      closingFaultOf(BILLABLE, []),
      closingFaultOf(BILLABLE, [charge, credit]),
      closingFaultOf(BILLABLE, [{ ...charge, occurredAt: LATER }]),
      closingFaultOf(BILLABLE, [other, { ...other, kind: 'credit' }]),
      closingFaultOf(RETURNED, [charge]),
      closingFaultOf(undefined, [charge, credit]),
    ].filter((fault) => fault !== undefined),
  ).toEqual([]);
  expect([
    closingFaultOf(undefined, [charge]),
    closingFaultOf(BILLABLE, [other]),
    closingFaultOf(BILLABLE, [other, credit]),
    closingFaultOf(BILLABLE, [{ ...charge, isPriced: false }]),
    closingFaultOf(BILLABLE, [charge, { ...credit, pence: 1 }]),
    closingFaultOf({ ...BILLABLE, isProduction: false }, [charge]),
    closingFaultOf({ ...BILLABLE, billingModel: 'application_created' }, [charge]),
    closingFaultOf(state, [charge]),
    closingFaultOf(RETURNED, [credit]),
  ]).toEqual([
    'unexplained',
    'other_account',
    'other_account',
    'other_amount',
    'credited',
    'other_environment',
    'other_model',
    'not_billable',
    'credit_alone',
  ]);
});

it('canRepair covers a missing charge, and the missing credit of a returned submission', () => {
  const repairable = Object.keys(FAULTS).filter((fault) => canRepair(fault as Fault));
  expect(repairable).toEqual(['not_charged', 'not_credited']);
});
