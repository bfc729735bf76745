import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { FAULTS, type Fault, faultOf, type OnLedger, type ShownSubmission } from './reconciliation.ts';

const accountId = newId<AccountId>();
const AT = new Date('2026-11-01T10:00:00.111Z');

const shown = (more: Partial<ShownSubmission> = {}): ShownSubmission => ({
  submissionId: newId<SubmissionId>(),
  accountId,
  environment: 'production',
  isDecided: true,
  billingStatus: 'billable',
  billableAt: AT,
  ...more,
});
const onLedger = (more: Partial<OnLedger> = {}): OnLedger => ({
  accountId,
  billingStatus: 'billable',
  billableAt: AT,
  charges: 1,
  credits: 0,
  chargedAt: AT,
  ...more,
});
const NOT_BILLABLE = { billingStatus: 'not_billable', billableAt: null } as const;
const PENDING = { billingStatus: 'pending', billableAt: null } as const;
const NO_CHARGE = { charges: 0, chargedAt: null };

describe('reconciliation of a submission', () => {
  it.each<[string, ShownSubmission, OnLedger | undefined]>([
    [
      'an undecided submission that billing has no lead for',
      shown({ ...PENDING, isDecided: false }),
      undefined,
    ],
    ['a billable submission with one charge', shown(), onLedger()],
    ['a submission that is pending in both', shown(PENDING), onLedger({ ...PENDING, ...NO_CHARGE })],
    [
      'a rejected submission without a charge',
      shown(NOT_BILLABLE),
      onLedger({ ...NOT_BILLABLE, ...NO_CHARGE }),
    ],
    [
      'a returned submission whose charge is credited',
      shown(NOT_BILLABLE),
      onLedger({ ...NOT_BILLABLE, credits: 1 }),
    ],
    [
      'equal times that are different objects',
      shown({ billableAt: new Date(AT) }),
      onLedger({ billableAt: new Date(AT) }),
    ],
  ])('accepts %s', (_what, submission, found) => {
    expect(faultOf(submission, found)).toBeUndefined();
  });

  it.each<[Fault, string, ShownSubmission, OnLedger | undefined]>([
    ['unknown_lead', 'a decided submission is missing', shown(NOT_BILLABLE), undefined],
    [
      'other_account',
      'the lead is under another account',
      shown(),
      onLedger({ accountId: newId<AccountId>() }),
    ],
    ['charged_twice', 'there are two charges', shown(), onLedger({ charges: 2 })],
    [
      'charged_twice',
      'two charges are both credited',
      shown(NOT_BILLABLE),
      onLedger({ ...NOT_BILLABLE, charges: 2, credits: 2 }),
    ],
    [
      'charged_twice',
      'one charge is credited twice',
      shown(NOT_BILLABLE),
      onLedger({ ...NOT_BILLABLE, credits: 2 }),
    ],
    [
      'credit_alone',
      'there is a credit without a charge',
      shown(NOT_BILLABLE),
      onLedger({ ...NOT_BILLABLE, ...NO_CHARGE, credits: 1 }),
    ],
    ['not_charged', 'a billable submission has no charge', shown(), onLedger(NO_CHARGE)],
    ['credited', 'the charge of a billable submission is credited', shown(), onLedger({ credits: 1 })],
    [
      'other_time',
      'the times differ by a millisecond',
      shown(),
      onLedger({ billableAt: new Date(AT.getTime() + 1) }),
    ],
    ['other_time', 'billing has no time', shown(), onLedger({ billableAt: null })],
    ['other_time', 'the supplier sees no time', shown({ billableAt: null }), onLedger()],
    ['not_credited', 'a returned submission keeps its charge', shown(NOT_BILLABLE), onLedger(NOT_BILLABLE)],
    ['not_credited', 'a pending submission is charged', shown(PENDING), onLedger()],
    [
      'other_status',
      'a rejected submission is pending in billing',
      shown(NOT_BILLABLE),
      onLedger({ ...PENDING, ...NO_CHARGE }),
    ],
    [
      'other_status',
      'a charged submission is pending in billing',
      shown(),
      onLedger({ billingStatus: 'pending' }),
    ],
  ])('reports %s when %s', (fault, _when, submission, found) => {
    expect(faultOf(submission, found)).toBe(fault);
  });

  it('describes every fault in its own sentence', () => {
    const sentences = Object.values(FAULTS);
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const sentence of sentences) expect(sentence).toMatch(/\b(billing|ledger)\b/);
  });
});
