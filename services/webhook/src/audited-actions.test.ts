import { create } from '@bufbuild/protobuf';
import { actionsOfStaff, auditedBy, forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment, HandoffSchema } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { endUndelivered, fakeSubmissions } from '../testing/fake-submissions.ts';
import { consume, statusChanged } from '../testing/status-changes.ts';
import { openTestService, START, startTestServer } from '../testing/test-service.ts';

const PURPOSE = 'the supplier asks, case 24';
const URL_ELSEWHERE = 'https://127.0.0.1:9/hook';
const HANDOFF = create(HandoffSchema, {
  customerJourneyUrl: 'https://journey.test/j/secret',
  expiresAt: toTimestamp(new Date(START.getTime() + 86_400_000)),
});
const PAT = { subject: 'pat', issuer: 'https://login.test', roles: ['staff:privacy'] };

const service = forAllTests(() => openTestService({ handoffOf: async () => HANDOFF }));
const submissions = fakeSubmissions(service);
const { ownerOf, restate } = submissions;
const server = forAllTests(() => startTestServer({ ...service.context, ownerOf, restate }));
beforeEach(() => service.clock.set(START));

/** An account with an endpoint, and a submission with an undelivered event. */
async function supplier() {
  const { accountId, endpointId } = await service.createEndpoint();
  const submissionId = newId<SubmissionId>();
  submissions.owners.set(submissionId, { accountId, environment: 'sandbox' });
  const occurredAt = new Date(START.getTime() + 10);
  const change = StatusChange.HANDOFF_AVAILABLE;
  const { eventId } = await changed({ accountId, submissionId, occurredAt, change });
  await endUndelivered(service, eventId, 'exhausted', occurredAt);
  service.clock.advance(60_000);
  return { accountId, endpointId, submissionId, eventId };
}
async function changed(facts: Parameters<typeof statusChanged>[0]) {
  const change = statusChanged(facts);
  await consume(service.context, change);
  return change;
}

type Supplier = Awaited<ReturnType<typeof supplier>>;
const admin = () => server.as('ada', 'staff:admin');
const endpointOf = ({ accountId }: Supplier) => ({ accountId, environment: Environment.SANDBOX });
const erase = ({ submissionId }: Supplier, requester?: typeof PAT) =>
  server
    .as('submission', 'service:submission')
    .eraseDeliveries({ submissionId, purpose: PURPOSE, requester });

interface Action {
  /** Runs in a separate request first. */
  readonly first?: (of: Supplier) => Promise<unknown>;
  readonly act: (of: Supplier) => Promise<unknown>;
  readonly target?: keyof Supplier;
  /** A subset of the audit entry. */
  readonly fields?: object;
  /** Facts that the entry records about the action. */
  readonly after?: (of: Supplier) => object;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  CreateEndpoint: {
    act: () =>
      admin().createEndpoint({
        accountId: newId<AccountId>(),
        environment: Environment.SANDBOX,
        url: URL_ELSEWHERE,
      }),
    fields: {
      target: expect.any(String),
      after: expect.objectContaining({ environment: 'sandbox', url: URL_ELSEWHERE }),
    },
  },
  UpdateEndpointUrl: { act: (of) => admin().updateEndpointUrl({ ...endpointOf(of), url: URL_ELSEWHERE }) },
  EnableEndpoint: {
    first: (of) => admin().disableEndpoint(endpointOf(of)),
    act: (of) => admin().enableEndpoint(endpointOf(of)),
  },
  DisableEndpoint: { act: (of) => admin().disableEndpoint(endpointOf(of)) },
  RotateSecret: { act: (of) => admin().rotateSecret(endpointOf(of)) },
  PreflightEndpoint: { act: (of) => admin().preflightEndpoint({ ...endpointOf(of), url: URL_ELSEWHERE }) },
  SendTestEvent: {
    act: ({ submissionId }) => admin().sendTestEvent({ submissionId }),
    target: 'submissionId',
    after: ({ submissionId, endpointId }) => ({ submissionId, endpointId, environment: 'sandbox' }),
  },
  GetEvent: {
    act: ({ eventId }) => admin().getEvent({ eventId, purpose: PURPOSE }),
    target: 'submissionId',
    fields: { purpose: PURPOSE },
  },
  SendEventNow: {
    first: ({ eventId }) =>
      service.db.event.update({
        where: { id: eventId },
        data: { state: 'pending', settledAt: null, nextAttemptAt: new Date(Date.now() + 60_000) },
      }),
    act: ({ eventId }) => admin().sendEventNow({ eventId }),
    target: 'eventId',
    after: ({ eventId, submissionId }) => expect.objectContaining({ eventId, submissionId }),
  },
  SendPendingEvents: {
    act: (of) => admin().sendPendingEvents(endpointOf(of)),
    after: ({ endpointId }) => ({ endpointId, environment: 'sandbox', events: 0 }),
  },
  RedeliverEvent: {
    act: ({ eventId }) => admin().redeliverEvent({ eventId }),
    target: 'eventId',
    after: ({ eventId, submissionId }) => ({ eventId, submissionId, environment: 'sandbox' }),
  },
  RedeliverSince: {
    act: (of) => admin().redeliverSince({ ...endpointOf(of), since: toTimestamp(START) }),
  },
  EraseDeliveries: {
    act: (of) => erase(of, PAT),
    target: 'submissionId',
    fields: {
      ...{ actor: 'pat', issuer: PAT.issuer, roles: PAT.roles, purpose: PURPOSE },
      after: expect.objectContaining({ calledBy: 'submission' }),
    },
  },
  'EraseDeliveries, for the service itself': {
    act: (of) => erase(of),
    target: 'submissionId',
    fields: { actor: 'submission', roles: ['service:submission'], purpose: PURPOSE },
  },
};

it('every method with which staff change something is tested for its audit entry', () => {
  expect(Object.keys(ACTIONS)).toEqual(expect.arrayContaining(actionsOfStaff(WebhookService)));
});

it.each(Object.entries(ACTIONS))(
  'the audit entry of %s records the actor, the purpose and the request id',
  async (name, { first, act, target = 'endpointId', fields, after }) => {
    const of = await supplier();
    await first?.(of);
    const entries = await auditedBy(service, () => act(of));
    const [action] = name.split(',');
    const person = { actor: 'ada', issuer: 'https://issuer.test', roles: ['staff:admin'] };
    const facts = { ...fields, ...(after && { after: after(of) }) };
    expect(entries).toMatchObject([{ ...person, action, target: of[target], ...facts }]);
  },
);
