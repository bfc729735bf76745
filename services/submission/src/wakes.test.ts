import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
} from '@supplier/proto/common/v1/principal';
import {
  BillingModel,
  Environment,
  Level,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import { RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../testing/basic-submissions.ts';
import { otherServices } from '../testing/other-services.ts';
import { openTestService, type SubmitOptions } from '../testing/test-service.ts';
import type { WakeTargets } from './context.ts';
import { decideReceived } from './decide/decide-received.ts';
import { retain } from './privacy/retain.ts';

type Target = keyof WakeTargets;

// No worker runs, so that nothing here is found by polling.
const service = forAllTests(() => openTestService({ others: otherServices() }));
const submissions = basicSubmissions(service);
const accountId = newId<AccountId>();
const BASIC = { accountId, level: Level.BASIC } as const;
const STAFF = { terms: { decisionMode: DecisionMode.STAFF } } as const;
const ON_PROMOTION = {
  terms: {
    applicationMinting: ApplicationMinting.ON_PROMOTION,
    billingModel: BillingModel.APPLICATION_CREATED,
  },
} as const;
const NOBODY = { telephone: 'n/a', email: 'n/a' };
const purpose = 'claim 19';

let woken: Target[] = [];
beforeEach(() => {
  service.at('2026-11-20T10:00:00Z');
  const noted = (target: Target) => () => woken.push(target);
  service.context.wakes.connect({
    relay: noted('relay'),
    undecided: noted('undecided'),
    unminted: noted('unminted'),
    unassessed: noted('unassessed'),
    erasures: noted('erasures'),
  });
});

const made =
  (options: SubmitOptions = {}) =>
  async () =>
    (await service.submit({ ...options, accountId })).id;
const undecided =
  (options: SubmitOptions = {}) =>
  async () =>
    (await service.submitUndecided({ ...options, accountId })).id;
const nothing = async () => newId<SubmissionId>();

interface Act {
  readonly of: () => Promise<SubmissionId>;
  readonly act: (id: SubmissionId) => Promise<unknown>;
  readonly wakes: readonly Target[];
}

/** Each act, and the workers that continue it. */
const ACTS: Readonly<Record<string, Act>> = {
  'a create that is accepted': { of: nothing, act: made(), wakes: ['relay'] },
  'a create at basic level that is accepted': { of: nothing, act: made(BASIC), wakes: ['relay', 'unminted'] },
  'a create whose policy fails': { of: nothing, act: undecided(), wakes: ['undecided'] },
  'a create for staff': { of: nothing, act: made(STAFF), wakes: [] },
  'the worker of decisions': {
    of: undecided(BASIC),
    act: () => service.work(decideReceived),
    wakes: ['relay', 'unminted'],
  },
  'a decision by staff': {
    of: made({ ...BASIC, ...STAFF }),
    act: (submissionId) =>
      service.staff.decideSubmission({
        submissionId,
        decision: Status.ACCEPTED,
        reason: 'trading record seen',
      }),
    wakes: ['relay', 'unminted'],
  },
  'a correction that lets policy decide': {
    of: made({ ...BASIC, enquiry: NOBODY }),
    act: (id) => submissions.correct({ id, accountId }, 0, { email: `${newId()}@example.test` }),
    wakes: ['relay', 'unminted'],
  },
  'a promotion': {
    of: made({ ...BASIC, ...ON_PROMOTION }),
    act: (id) => submissions.promote({ id, accountId }),
    wakes: ['relay', 'unassessed'],
  },
  'a return': {
    of: made(),
    act: (submissionId) =>
      service.staff.returnSubmission({ submissionId, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS }),
    wakes: ['relay'],
  },
  'the end of a pending billing': {
    of: made({ ...BASIC, ...ON_PROMOTION }),
    act: (submissionId) =>
      service.staff.closePendingBilling({ submissionId, closeReason: CloseReason.GIVEN_UP_BY_SUPPLIER }),
    wakes: ['relay'],
  },
  'a pre-underwriting by staff': {
    of: made({
      enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjCount: 1 } },
      terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF },
    }),
    act: (submissionId) =>
      service.staff.completePreUnderwriting({ submissionId, outcome: PreUnderwritingState.CLEARED }),
    wakes: ['relay'],
  },
  'a read that replaces a handoff link': {
    async of() {
      const id = await made({ terms: { enrolments: { documentFirst: true } } })();
      service.at('2026-11-24T10:00:00Z');
      return id;
    },
    act: (submissionId) => service.onBehalfOf({ accountId }).getSubmission({ submissionId }),
    wakes: ['relay'],
  },
  'a restatement': {
    of: made(),
    act: (submissionId) =>
      service.as('webhook').restateSubmission({ submissionId, reason: RestatementReason.REDELIVERY }),
    wakes: ['relay'],
  },
  'a request to erase': {
    of: made(),
    act: (id) => service.privacy.requestErasure({ submissionIds: [id], purpose }),
    wakes: ['erasures'],
  },
  'a legal hold that ends': {
    async of() {
      const id = await made()();
      await service.privacy.holdSubmissions({ submissionIds: [id], purpose });
      return id;
    },
    act: (id) => service.privacy.releaseHold({ submissionIds: [id], purpose }),
    wakes: ['erasures'],
  },
  'the erasure of an undecided submission': {
    async of() {
      const id = await made(STAFF)();
      await service.privacy.requestErasure({ submissionIds: [id], purpose });
      return id;
    },
    act: () => service.erase(),
    wakes: ['relay'],
  },
  'an erasure that must wait for a decision': {
    async of() {
      const id = await undecided()();
      await service.privacy.requestErasure({ submissionIds: [id], purpose });
      return id;
    },
    act: () => service.erase(),
    wakes: ['unassessed', 'undecided', 'unminted'],
  },
  'a release of parked work': {
    of: made(),
    act: (id) => service.staff.releaseParkedWork({ submissionIds: [id] }),
    wakes: ['unassessed', 'undecided', 'unminted'],
  },
  'the end of a retention': {
    async of() {
      const id = await made({
        environment: Environment.SANDBOX,
        enquiry: { businessName: 'Sandbox Reject Ltd' },
      })();
      service.at('2028-11-20T10:00:00Z');
      return id;
    },
    act: () => retain.run(service.context),
    wakes: ['erasures'],
  },
};

it.each(Object.entries(ACTS))('%s wakes the workers that continue it', async (_name, { of, act, wakes }) => {
  const id = await of();
  woken = [];
  await act(id);
  expect([...new Set(woken)].toSorted()).toEqual(wakes.toSorted());
});
