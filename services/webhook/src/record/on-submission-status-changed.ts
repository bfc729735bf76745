import { type AfterCommit, type DomainEvent, RefusedEvent } from '@supplier/lib/events/event-bus';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { type RequestContext, runInContext } from '@supplier/lib/runtime/request-context';
import { type AccountId, type EndpointId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { formatTimestamp } from '@supplier/lib/text/time';
import { type Handoff, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { SubmissionStatusChanged } from '@supplier/proto/submission/v1/events';
import type { PoolClient } from 'pg';
import type { Context } from '../context.ts';
import { envelopeBytes } from '../model/envelope.ts';
import { environmentNameOf, eventChangeOf } from '../model/event.ts';
import type { Change } from '../model/recording.ts';
import { bodyAad } from '../store/sealed-values.ts';
import { findDeliverable, findErased, type RecordedEvents, recordEvents } from './record-events.sql.ts';

/** Concurrent link requests. With the time limit of one, the whole set takes less than eight seconds. */
const CONCURRENT_LINKS = 16;

/** Links by submission and owner. */
type Links = ReadonlyMap<string, Handoff | undefined>;

const NOBODY: ReadonlySet<SubmissionId> = new Set();

/**
 * Freezes the bodies of the suppliers' events for changed submissions and records them for delivery, under the ids of
 * the domain events; ignores one that is already recorded. Throws, and records nothing of the set, when an event
 * violates its contract, when it names an account or environment other than the submission's owner, or when the
 * submission service cannot currently provide a required link. Implements docs/contract.md, sections 7 and 11.
 */
export function onSubmissionStatusChanged(context: Context) {
  return async (
    tx: PoolClient,
    arrived: readonly DomainEvent<SubmissionStatusChanged>[],
  ): Promise<AfterCommit> => {
    const changes = new Map(arrived.map(readChange).map((parsed) => [parsed.change.eventId, parsed]));
    const links = await requestLinks(context, [...changes.values()]);
    const all = [...changes.values()].map(({ change }) => change);
    // Most sets have no link and need no query.
    const erased = links.size > 0 ? await findErased(tx, all) : NOBODY;
    const events = await recordEvents(tx, all, {
      sealBody(change) {
        const parsed = changes.get(change.eventId);
        if (!parsed) throw new Error(`invariant violated: no status for change ${change.eventId}`);
        return context.keyRing.seal(bodyOf(parsed, links, erased), bodyAad(change.eventId));
      },
      reserve: context.wakes.reserve,
    });
    return () => startDeliveries(context, events);
  };
}

/** A parsed event of the submission service. */
interface ParsedChange {
  readonly change: Change;
  readonly submission: SubmissionStatus;
  /** Whether the current status includes a working link. */
  readonly hasLink: boolean;
  readonly context: RequestContext;
}

function readChange({
  id,
  aggregateId,
  occurredAt,
  context,
  message,
}: DomainEvent<SubmissionStatusChanged>): ParsedChange {
  const { submission } = message;
  const submissionId = parseId<SubmissionId>(submission?.submissionId ?? '');
  const accountId = parseId<AccountId>(message.accountId);
  const environment = submission && environmentNameOf(submission.environment);
  const change = eventChangeOf(message.change);
  if (!submission || !submissionId || !accountId || !environment || !change) {
    throw new Error('status change lacks an account, a submission, an environment or a change');
  }
  if (submissionId !== aggregateId)
    throw new RefusedEvent('event has a different submission from its envelope');
  return {
    change: {
      eventId: id,
      submissionId,
      accountId,
      environment,
      change,
      occurredAt,
      traceParent: context.traceParent,
    },
    submission,
    hasLink: submission.status === Status.ACCEPTED && message.handedOff,
    context,
  };
}

/**
 * Requests the journey links for bodies. A link is a bearer secret and never in a domain event: it is requested once
 * per submission, for the owner that the event names, and only for new changes that an endpoint will receive. Holds no
 * lock meanwhile.
 */
async function requestLinks(context: Context, changes: readonly ParsedChange[]): Promise<Links> {
  const { pool } = context;
  const links = new Map<string, Handoff | undefined>();
  const candidates = changes.filter(({ hasLink }) => hasLink);
  if (candidates.length === 0) return links;
  const deliverable = await findDeliverable(
    pool,
    candidates.map(({ change }) => change),
  );
  const requests = new Map(
    candidates
      .filter(({ change }) => deliverable.has(change.eventId))
      .map((candidate) => [linkKey(candidate.change), candidate]),
  );
  const queue = [...requests];
  while (queue.length > 0) {
    await Promise.all(
      queue.splice(0, CONCURRENT_LINKS).map(async ([key, candidate]) => {
        links.set(key, await runInContext(candidate.context, () => requestLink(context, candidate.change)));
      }),
    );
  }
  return links;
}

/**
 * Requests one link. The link is a bearer secret, and an event from the bus does not prove ownership, so the submission
 * service returns it only for the real owner.
 */
function requestLink({ handoffOf }: Context, { submissionId, accountId, environment }: Change) {
  return handoffOf(submissionId, { accountId, environment }).catch((error: unknown) => {
    if (refusalOf(error)?.code !== RefusalCode.NOT_FOUND) throw error;
    throw new RefusedEvent('submission belongs to a different account or environment than the event');
  });
}

const linkKey = ({ submissionId, accountId, environment }: Change) =>
  `${submissionId}/${accountId}/${environment}`;

/** Omits a link that was requested before the person was erased. */
function bodyOf(
  { change, submission, hasLink }: ParsedChange,
  links: Links,
  erased: ReadonlySet<SubmissionId>,
): Uint8Array<ArrayBuffer> {
  // An endpoint became active after the links were requested: the retry of the set requests this one too.
  const key = linkKey(change);
  if (hasLink && !links.has(key)) throw new Error('endpoint became active after the links were requested');
  const handoff = hasLink && !erased.has(change.submissionId) ? links.get(key) : undefined;
  const visible = handoff ? { ...submission, handoff } : submission;
  return envelopeBytes(change.eventId, formatTimestamp(change.occurredAt), renderStatus(visible));
}

/** Counts the recorded events, starts the claimed attempts, and wakes the delivery of the others. */
function startDeliveries(
  { countRecorded, wakes }: Context,
  { recorded, claimed, begin }: RecordedEvents,
): void {
  begin();
  const due = new Set<EndpointId>();
  for (const { change, recording } of recorded) {
    countRecorded(recording.state);
    if (recording.state === 'pending' && !claimed.has(change.eventId)) due.add(recording.endpointId);
  }
  for (const endpointId of due) wakes.delivery(endpointId);
}
