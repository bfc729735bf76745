import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/ids';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { BillingModel, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { MatchKey } from '@supplier/proto/submission/v1/timeline';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { releasePolicies } from '../release-policies.ts';
import { initialBilling } from './billing.ts';
import { decideAll, type UndecidedLead } from './decide-all.ts';
import { NOTHING_UNSAVED } from './lead.ts';
import { NO_HASHES } from './match-hashes.ts';

const AT = new Date('2026-11-20T10:00:00Z');
const LATER = new Date('2026-11-20T10:00:00.001Z');
const ACCOUNT = newId<AccountId>();
const FIRST = '01990000-0000-7000-8000-000000000001' as SubmissionId;
const SECOND = '01990000-0000-7000-8000-000000000002' as SubmissionId;
const THIRD = '01990000-0000-7000-8000-000000000003' as SubmissionId;
const CUSTOMER = { ...NO_HASHES, telephoneHash: new Uint8Array(32).fill(7) };

type Terms = MessageInitShape<typeof TermsSchema>;

function lead(id: SubmissionId, receivedAt: Date, terms: Terms = {}, hashes = NO_HASHES): UndecidedLead {
  const environment = Environment.PRODUCTION as const;
  const who = { id, accountId: ACCOUNT, environment, receivedAt };
  return {
    state: {
      ...who,
      externalReference: id,
      level: Level.BASIC,
      status: Status.RECEIVED,
      awaitsStaff: false,
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
    matchable: { ...who, ...hashes },
  };
}

/** Every order in which the leads can be given. */
const orders = <T>(all: readonly T[]): T[][] =>
  all.length === 0
    ? [[]]
    : all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));

function statuses(leads: readonly UndecidedLead[]) {
  const { decision, preUnderwriting } = releasePolicies();
  const none = { duplicates: new Map(), earlier: new Map(), accepted: new Map() };
  const { decided } = decideAll(leads, none, {
    now: LATER,
    decisionPolicy: decision,
    preUnderwritingPolicy: preUnderwriting,
    duplicateWindowDays: 90,
    returnWindowDays: 30,
    newReference: () => 'APP-0000000000',
    newHandoff: () => {
      throw new Error('no lead is handed off');
    },
  });
  return decided.map(({ state, unsaved }) => [state.id, state.status, unsaved.decision?.match]);
}

const duplicateOf = (id: SubmissionId) => ({ id, key: MatchKey.TELEPHONE });

describe('leads that were received at one time are decided in the order of their ids', () => {
  it.each(orders([FIRST, SECOND, THIRD]))('one customer, given as %s, %s, %s', (...ids) => {
    expect(statuses(ids.map((id) => lead(id, AT, {}, CUSTOMER)))).toEqual([
      [FIRST, Status.ACCEPTED, undefined],
      [SECOND, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(FIRST)],
      [THIRD, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(FIRST)],
    ]);
  });

  it.each(orders([FIRST, SECOND, THIRD]))('under a cap of two, given as %s, %s, %s', (...ids) => {
    const terms = { caps: { acceptedPerDay: 2 } };
    expect(statuses(ids.map((id) => lead(id, AT, terms)))).toEqual([
      [FIRST, Status.ACCEPTED, undefined],
      [SECOND, Status.ACCEPTED, undefined],
      [THIRD, Status.REJECTED, undefined],
    ]);
  });

  it.each(orders([FIRST, SECOND]))(
    'after one that was received earlier, whatever its id, given as %s, %s',
    (...ids) => {
      const times: Readonly<Record<string, Date>> = { [FIRST]: LATER, [SECOND]: AT };
      expect(statuses(ids.map((id) => lead(id, times[id] ?? AT, {}, CUSTOMER)))).toEqual([
        [SECOND, Status.ACCEPTED, undefined],
        [FIRST, Status.DUPLICATE_NOT_ACCEPTED, duplicateOf(SECOND)],
      ]);
    },
  );
});
