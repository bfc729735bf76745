import {
  BillingModel,
  BillingStatus,
  Environment,
  NotBillableReason,
  Status,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { type BillingFacts, billingOf, closeRefusal, initialBilling } from './billing.ts';
import type { SubmissionState } from './submission.ts';

const { ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED } = BillingModel;
const { CLEARED, NOT_CLEARED, PENDING } = PreUnderwritingState;
const DECIDED_AT = new Date('2026-11-20T10:00:00Z');
const CREATED_AT = new Date('2026-11-20T11:00:00Z');
const ENDED_AT = new Date('2026-11-20T12:00:00Z');

interface Facts {
  readonly status?: Status;
  readonly environment?: Environment;
  readonly hasApplication?: boolean;
  readonly preUnderwriting?: PreUnderwritingState;
  readonly billing?: SubmissionState['billing'];
}

function factsOf(model: BillingModel, facts: Facts): BillingFacts {
  const { status = Status.ACCEPTED, environment = Environment.PRODUCTION, preUnderwriting } = facts;
  const hasApplication = facts.hasApplication ?? preUnderwriting !== undefined;
  const state = {
    status,
    environment,
    billing: facts.billing ?? initialBilling(environment, model),
    decidedAt: status === Status.RECEIVED ? null : DECIDED_AT,
    application: hasApplication ? { reference: 'APP-0123456789', createdAt: CREATED_AT } : null,
  } as SubmissionState;
  return {
    state,
    preUnderwriting:
      preUnderwriting === undefined
        ? null
        : { state: preUnderwriting, at: ENDED_AT, policyVersion: null, reasons: [] },
  };
}

const pending = (model: BillingModel) => initialBilling(Environment.PRODUCTION, model);
const billable = (model: BillingModel, billableAt: Date) => ({
  model,
  status: BillingStatus.BILLABLE,
  billableAt,
  notBillableReason: NotBillableReason.UNSPECIFIED,
});
const notBillable = (model: BillingModel, notBillableReason: NotBillableReason) => ({
  model,
  status: BillingStatus.NOT_BILLABLE,
  billableAt: null,
  notBillableReason,
});

describe('the billing state of an accepted submission', () => {
  it.each<[string, BillingModel, Facts, ReturnType<typeof billable> | ReturnType<typeof notBillable>]>([
    ['is billable from the decision', ACCEPTED_SUBMISSION, {}, billable(ACCEPTED_SUBMISSION, DECIDED_AT)],
    ['is pending without an Application', APPLICATION_CREATED, {}, pending(APPLICATION_CREATED)],
    [
      'is billable from its Application',
      APPLICATION_CREATED,
      { preUnderwriting: PENDING },
      billable(APPLICATION_CREATED, CREATED_AT),
    ],
    ['is pending without an Application', PRE_UNDERWRITING_CLEARED, {}, pending(PRE_UNDERWRITING_CLEARED)],
    [
      'is pending during pre-underwriting',
      PRE_UNDERWRITING_CLEARED,
      { preUnderwriting: PENDING },
      pending(PRE_UNDERWRITING_CLEARED),
    ],
    [
      'is billable once cleared',
      PRE_UNDERWRITING_CLEARED,
      { preUnderwriting: CLEARED },
      billable(PRE_UNDERWRITING_CLEARED, ENDED_AT),
    ],
    [
      'is not billable once closed as not cleared',
      PRE_UNDERWRITING_CLEARED,
      { preUnderwriting: NOT_CLEARED },
      notBillable(PRE_UNDERWRITING_CLEARED, NotBillableReason.REJECTED),
    ],
  ])('%s (model %i)', (_, model, facts, expected) => {
    expect(billingOf(factsOf(model, facts))).toEqual(expected);
  });

  it('does not change after it is final', () => {
    const closed = notBillable(APPLICATION_CREATED, NotBillableReason.REJECTED);
    expect(billingOf(factsOf(APPLICATION_CREATED, { preUnderwriting: CLEARED, billing: closed }))).toBe(
      closed,
    );
    const earlier = billable(ACCEPTED_SUBMISSION, new Date(0));
    expect(billingOf(factsOf(ACCEPTED_SUBMISSION, { billing: earlier }))).toBe(earlier);
  });
});

describe.each([ACCEPTED_SUBMISSION, APPLICATION_CREATED, PRE_UNDERWRITING_CLEARED])(
  'the billing state under model %i',
  (model) => {
    it.each([
      ['rejected', Status.REJECTED, NotBillableReason.REJECTED],
      ['a duplicate', Status.DUPLICATE_NOT_ACCEPTED, NotBillableReason.DUPLICATE],
      ['returned', Status.RETURNED, NotBillableReason.RETURNED],
    ])('is not billable when %s', (_, status, reason) => {
      expect(billingOf(factsOf(model, { status }))).toEqual(notBillable(model, reason));
    });

    it('is not billable when returned after it was billable', () => {
      const facts = { status: Status.RETURNED, billing: billable(model, DECIDED_AT) };
      expect(billingOf(factsOf(model, facts))).toEqual(notBillable(model, NotBillableReason.RETURNED));
    });

    it('is pending until the decision', () => {
      expect(billingOf(factsOf(model, { status: Status.RECEIVED }))).toEqual(pending(model));
    });

    it.each([
      Status.RECEIVED,
      Status.ACCEPTED,
      Status.REJECTED,
      Status.DUPLICATE_NOT_ACCEPTED,
      Status.RETURNED,
    ])('is always `sandbox` in the sandbox (status %i)', (status) => {
      const facts = { status, environment: Environment.SANDBOX, preUnderwriting: CLEARED };
      expect(billingOf(factsOf(model, facts))).toEqual(notBillable(model, NotBillableReason.SANDBOX));
    });
  },
);

describe('ending the billing of a submission by staff', () => {
  const why = (facts: Facts) => closeRefusal(factsOf(APPLICATION_CREATED, facts).state);

  it('is allowed for an accepted submission without an Application', () => {
    expect(why({})).toBeUndefined();
  });

  it.each<[string, Facts, RegExp]>([
    ['undecided', { status: Status.RECEIVED }, /Decide it first/],
    ['with an Application', { hasApplication: true }, /Complete its pre-underwriting/],
    ['rejected', { status: Status.REJECTED }, /not accepted/],
    ['billable', { billing: billable(APPLICATION_CREATED, CREATED_AT) }, /not pending/],
  ])('is rejected for a submission that is %s', (_, facts, reason) => {
    expect(why(facts)).toMatch(reason);
  });
});
