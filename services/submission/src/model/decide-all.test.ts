import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { BillingModel, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { MatchKey } from '@supplier/proto/submission/v1/timeline';
import { releasePolicies } from '../../testing/release-policies.ts';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { initialBilling } from './billing.ts';
import { capKey, type DecisionFacts, decideAll, isCapped, type UndecidedSubmission } from './decide-all.ts';
import { NOTHING_UNSAVED } from './locked-submission.ts';
import { type AllMatchHashes, NO_HASHES } from './match-hashes.ts';

const AT = new Date('2026-11-20T10:00:00Z');
const LATER = new Date('2026-11-20T10:00:00.001Z');
const ACCOUNT = newId<AccountId>();
const FIRST = '01990000-0000-7000-8000-000000000001' as SubmissionId;
const SECOND = '01990000-0000-7000-8000-000000000002' as SubmissionId;
const THIRD = '01990000-0000-7000-8000-000000000003' as SubmissionId;
const CUSTOMER = { ...NO_HASHES, telephoneHash: new Uint8Array(32).fill(7) };

type Terms = MessageInitShape<typeof TermsSchema>;

function submission(
  id: SubmissionId,
  receivedAt: Date,
  terms: Terms = {},
  hashes: AllMatchHashes = { ...NO_HASHES, emailHash: new Uint8Array(Buffer.from(id)) },
): UndecidedSubmission {
  const environment = Environment.PRODUCTION as const;
  const who = { id, accountId: ACCOUNT, environment, receivedAt };
  return {
    state: {
      ...who,
      externalReference: id,
      level: Level.BASIC,
      status: Status.RECEIVED,
      awaitsStaff: false,
      unidentified: false,
      decidedAt: null,
      application: null,
      billing: initialBilling(environment, BillingModel.ACCEPTED_SUBMISSION),
      returned: null,
      enrolments: undefined,
      changedAt: receivedAt,
      version: 0n,
    },
    preUnderwriting: null,
    terms: create(TermsSchema, terms),
    context: undefined,
    unsaved: NOTHING_UNSAVED,
    enquiry: sampleEnquiry(),
    contactChecks: 0,
    matchable: { ...who, ...hashes },
  };
}

/** Returns every permutation of the submissions. */
const orders = <T>(all: readonly T[]): T[][] =>
  all.length === 0
    ? [[]]
    : all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));

const NO_FACTS: DecisionFacts = { duplicates: new Map(), earlier: new Map(), accepted: new Map() };

function decideWith(submissions: readonly UndecidedSubmission[], facts: Partial<DecisionFacts> = {}) {
  const { decision, preUnderwriting } = releasePolicies();
  const { decided, blocked } = decideAll(
    submissions,
    { ...NO_FACTS, ...facts },
    {
      now: LATER,
      decisionPolicy: decision,
      preUnderwritingPolicy: preUnderwriting,
      duplicateWindowDays: 90,
      returnWindowDays: 30,
      newReference: () => 'APP-0000000000',
      newHandoff: () => {
        throw new Error('no submission is handed off');
      },
    },
  );
  return { decided, blocked };
}

const statuses = (submissions: readonly UndecidedSubmission[], facts: Partial<DecisionFacts> = {}) =>
  decideWith(submissions, facts).decided.map(({ state, unsaved }) => [
    state.id,
    state.status,
    unsaved.decision?.match,
  ]);

const duplicateOf = (id: SubmissionId) => ({ id, key: MatchKey.TELEPHONE });

describe('decideAll with submissions received at the same time', () => {
  it.each(orders([FIRST, SECOND, THIRD]))(
    'decides one customer in the order of ids, given as %s, %s, %s',
    (...ids) => {
      expect(statuses(ids.map((id) => submission(id, AT, {}, CUSTOMER)))).toEqual([
        [FIRST, Status.ACCEPTED, undefined],
        [SECOND, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(FIRST)],
        [THIRD, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(FIRST)],
      ]);
    },
  );

  it.each(orders([FIRST, SECOND, THIRD]))(
    'applies a cap of two in the order of ids, given as %s, %s, %s',
    (...ids) => {
      const terms = { caps: { acceptedPerDay: 2 } };
      expect(statuses(ids.map((id) => submission(id, AT, terms)))).toEqual([
        [FIRST, Status.ACCEPTED, undefined],
        [SECOND, Status.ACCEPTED, undefined],
        [THIRD, Status.REJECTED, undefined],
      ]);
    },
  );

  it.each(orders([FIRST, SECOND]))(
    'decides a submission received earlier first, regardless of its id, given as %s, %s',
    (...ids) => {
      const times: Readonly<Record<string, Date>> = { [FIRST]: LATER, [SECOND]: AT };
      expect(statuses(ids.map((id) => submission(id, times[id] ?? AT, {}, CUSTOMER)))).toEqual([
        [SECOND, Status.ACCEPTED, undefined],
        [FIRST, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(SECOND)],
      ]);
    },
  );
});

describe('a submission whose customer has an earlier one', () => {
  it('is a duplicate of the accepted one', () => {
    const match = { id: FIRST, key: MatchKey.EMAIL };
    const facts = { duplicates: new Map([[SECOND, match]]), earlier: new Map([[SECOND, THIRD]]) };
    expect(statuses([submission(SECOND, AT)], facts)).toEqual([
      [SECOND, Status.DUPLICATE_NOT_ACCEPTED, match],
    ]);
  });

  it('waits for an undecided one, and so does the customer’s next submission', () => {
    const submissions = [
      submission(FIRST, AT, {}, CUSTOMER),
      submission(SECOND, AT, {}, CUSTOMER),
      submission(THIRD, AT),
    ];
    const { decided, blocked } = decideWith(submissions, {
      earlier: new Map([[FIRST, 'x' as SubmissionId]]),
    });
    expect(blocked).toEqual([FIRST, SECOND]);
    expect(decided.map(({ state }) => state.id)).toEqual([THIRD]);
  });
});

describe('the caps of an account', () => {
  it.each([
    ['day', { acceptedPerDay: 2 }, { today: 1, thisMonth: 9 }],
    ['month', { acceptedPerMonth: 2 }, { today: 0, thisMonth: 1 }],
  ])('count earlier acceptances in the %s and those in the same set', (_what, caps, counts) => {
    const accepted = new Map([[capKey({ accountId: ACCOUNT, environment: Environment.PRODUCTION }), counts]]);
    const { decided } = decideWith(
      [FIRST, SECOND].map((id) => submission(id, AT, { caps })),
      { accepted },
    );
    const { today, thisMonth } = counts;
    expect(decided.map(({ state, unsaved }) => [state.status, unsaved.decision?.accepted])).toEqual([
      [Status.ACCEPTED, counts],
      [Status.REJECTED, { today: today + 1, thisMonth: thisMonth + 1 }],
    ]);
  });

  it('do not count rejections', () => {
    const terms = { caps: { acceptedPerDay: 1 } };
    const rejected = { ...terms, thresholds: { minimumFundingAmount: 1_000_000 } };
    expect(statuses([submission(FIRST, AT, rejected), submission(SECOND, AT, terms)])).toMatchObject([
      [FIRST, Status.REJECTED],
      [SECOND, Status.ACCEPTED],
    ]);
  });

  it('apply to one account in one environment', () => {
    const of = { accountId: ACCOUNT, environment: Environment.PRODUCTION } as const;
    const keys = [of, { ...of, accountId: newId<AccountId>() }, { ...of, environment: Environment.SANDBOX }];
    expect(new Set(keys.map(capKey)).size).toBe(3);
  });

  it('are not recorded with decisions of an account without caps', () => {
    expect(decideWith([submission(FIRST, AT)]).decided[0]?.unsaved.decision).not.toHaveProperty('accepted');
  });

  it.each([
    [undefined, false],
    [{}, false],
    [{ acceptedPerDay: 0 }, true],
    [{ acceptedPerMonth: 0 }, true],
  ])('need a count for %j: %s', (caps, expected) => {
    expect(isCapped(create(TermsSchema, caps ? { caps } : {}).caps)).toBe(expected);
  });
});

describe('a sandbox simulation', () => {
  const simulated = (id: SubmissionId, businessName: string): UndecidedSubmission => {
    const { state, matchable, ...rest } = submission(id, AT, { caps: { acceptedPerDay: 0 } });
    const environment = Environment.SANDBOX;
    return {
      ...rest,
      state: {
        ...state,
        environment,
        billing: initialBilling(environment, BillingModel.ACCEPTED_SUBMISSION),
      },
      matchable: { ...matchable, environment },
      enquiry: sampleEnquiry({ businessName }),
    };
  };

  it.each([
    ['Sandbox Accept Ltd', Status.ACCEPTED],
    ['Sandbox Reject Ltd', Status.REJECTED],
    ['Sandbox Duplicate Ltd', Status.DUPLICATE_NOT_ACCEPTED],
    ['Sandbox PU Fail Ltd', Status.ACCEPTED],
  ])('decides as the name %s implies, regardless of caps', (businessName, status) => {
    const [decision] = decideWith([simulated(FIRST, businessName)]).decided;
    expect(decision?.unsaved.decision).toEqual({
      status,
      policyVersion: 'sandbox',
      rule: 'simulation',
      reason: 'The sandbox business name requests it.',
    });
  });

  it.each([Environment.PRODUCTION, Environment.SANDBOX])(
    'leaves one without match keys to staff in production only: %s',
    (environment) => {
      const one = submission(FIRST, AT, {}, NO_HASHES);
      const nobody = {
        ...one,
        state: { ...one.state, environment },
        matchable: { ...one.matchable, environment },
      };
      const [next] = decideWith([nobody]).decided;
      const isLeft = environment === Environment.PRODUCTION;
      expect(next?.state).toMatchObject({ awaitsStaff: isLeft, unidentified: isLeft });
      expect(next?.unsaved.decision === undefined).toBe(isLeft);
      expect(next?.unsaved.events).toHaveLength(isLeft ? 0 : 1);
    },
  );

  it.each(['Sandbox Pending Ltd', 'Sample Trading Ltd'])('leaves %s to the policy', (businessName) => {
    const [decision] = decideWith([simulated(FIRST, businessName)]).decided;
    expect(decision?.unsaved.decision).toMatchObject({ status: Status.REJECTED, rule: 'day-cap-reached' });
  });
});
