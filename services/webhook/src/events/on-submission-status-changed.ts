import type { AfterCommit, DomainEvent } from '@supplier/lib/event-bus';
import { type AccountId, type EndpointId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { type RequestContext, runInContext } from '@supplier/lib/request-context';
import { renderStatus } from '@supplier/lib/status-object';
import { formatTimestamp } from '@supplier/lib/time';
import { type Handoff, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { SubmissionStatusChanged } from '@supplier/proto/submission/v1/events';
import type { PoolClient } from 'pg';
import type { Context } from '../context.ts';
import { findWanted, recordEvents } from '../db/record-events.ts';
import { bodyAad } from '../domain/associated-data.ts';
import { envelopeBytes } from '../domain/envelope.ts';
import { environmentNameOf } from '../domain/environment.ts';
import { eventChangeOf } from '../domain/event.ts';
import type { Change, RecordedChange } from '../domain/recording.ts';

/** Links that are requested at once. With the time limit of one, the whole set takes less than eight seconds. */
const CONCURRENT_LINKS = 16;

type Links = ReadonlyMap<SubmissionId, Handoff | undefined>;

/**
 * What the supplier can see of submissions has changed: freezes the bodies of the events and records them for delivery,
 * under the ids of the domain events; one that is already recorded changes nothing. Throws when an event breaks its
 * contract, and when a link is wanted that the submission service cannot give now: then nothing of the set is recorded.
 * Implements docs/contract.md, section 7.
 */
export function onSubmissionStatusChanged(context: Context) {
  return async (
    tx: PoolClient,
    events: readonly DomainEvent<SubmissionStatusChanged>[],
  ): Promise<AfterCommit> => {
    const changes = new Map(events.map(readChange).map((parsed) => [parsed.change.eventId, parsed]));
    const links = await requestLinks(context, [...changes.values()]);
    const recorded = await recordEvents(
      tx,
      [...changes.values()].map(({ change }) => change),
      (change) => {
        const parsed = changes.get(change.eventId);
        if (!parsed) throw new Error(`invariant violated: no status for change ${change.eventId}`);
        return context.keyRing.seal(bodyOf(parsed, links), bodyAad(change.eventId));
      },
    );
    return () => announce(context, recorded);
  };
}

/** An event of the submission service, parsed. */
interface ParsedChange {
  readonly change: Change;
  readonly submission: SubmissionStatus;
  /** Whether the link belongs to the status that works at this moment. */
  readonly hasLink: boolean;
  readonly context: RequestContext;
}

function readChange({
  id,
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
    throw new Error('status change lacks an account, a submission, an environment or a kind of change');
  }
  return {
    change: { eventId: id, submissionId, accountId, environment, change, occurredAt },
    submission,
    hasLink: submission.status === Status.ACCEPTED && message.handedOff,
    context,
  };
}

/**
 * The journey links that bodies need. A link is a bearer secret and in no event, and a new one is made for each
 * request: so it is requested once for a submission, and only for changes that are new and wanted by an endpoint. No
 * lock is held meanwhile.
 */
async function requestLinks({ pool, handoffOf }: Context, changes: readonly ParsedChange[]): Promise<Links> {
  const links = new Map<SubmissionId, Handoff | undefined>();
  const candidates = changes.filter(({ hasLink }) => hasLink);
  if (candidates.length === 0) return links;
  const wanted = await findWanted(
    pool,
    candidates.map(({ change }) => change),
  );
  const requests = new Map(
    candidates
      .filter(({ change }) => wanted.has(change.eventId))
      .map(({ change, context }) => [change.submissionId, context]),
  );
  const queue = [...requests];
  while (queue.length > 0) {
    await Promise.all(
      queue.splice(0, CONCURRENT_LINKS).map(async ([submissionId, context]) => {
        links.set(submissionId, await runInContext(context, () => handoffOf(submissionId)));
      }),
    );
  }
  return links;
}

function bodyOf({ change, submission, hasLink }: ParsedChange, links: Links): Uint8Array<ArrayBuffer> {
  // It became wanted after the links were requested: the next run of the set requests this one as well.
  if (hasLink && !links.has(change.submissionId))
    throw new Error('endpoint became active after the links were requested');
  const handoff = hasLink ? links.get(change.submissionId) : undefined;
  const visible = handoff ? { ...submission, handoff } : submission;
  return envelopeBytes(change.eventId, formatTimestamp(change.occurredAt), renderStatus(visible));
}

/** Counts what was recorded and wakes the delivery to the endpoints concerned. */
function announce({ countRecorded, wakes }: Context, recorded: readonly RecordedChange[]): void {
  const due = new Set<EndpointId>();
  for (const { recording } of recorded) {
    countRecorded(recording.state);
    if (recording.state === 'pending') due.add(recording.endpointId);
  }
  for (const endpointId of due) wakes.delivery(endpointId);
}
