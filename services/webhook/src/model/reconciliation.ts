import type { AccountId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { EnvironmentName, EventState } from './event.ts';

export interface ListedChange {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly occurredAt: Date;
  /** Awaits publication at the submission service. */
  readonly unpublished: boolean;
}

/** The recorded event with the id of a change. */
export interface OnRecord {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly occurredAt: Date;
  readonly state: EventState;
  readonly nextAttemptAt: Date | undefined;
  readonly leaseUntil: Date | undefined;
  /** Whether the endpoint of the change's account and environment was active at the change's time. */
  readonly activeThen: boolean;
  /** Whether the endpoint is enabled and its latest attempt did not fail, so that due events are delivered. */
  readonly endpointTakesEvents: boolean;
  /** For a superseded event: the end of the chain of replacing events, as far as it can be followed. */
  readonly successor: Successor | undefined;
}

/** Facts about a change without its own event. */
export interface Absent {
  readonly state: 'absent';
  /** Whether the endpoint of the change's account and environment was active at the change's time. */
  readonly activeThen: boolean;
  /** Whether a later event of the submission is recorded, which makes this one unnecessary. */
  readonly covered: boolean;
}

export interface Successor {
  readonly submissionId: SubmissionId;
  readonly occurredAt: Date;
  readonly state: EventState;
}

/** The possible faults of a change, each with its description. */
export const FAULTS = {
  missing: 'there is no event for the change, and no later one for the submission',
  differs: 'the event has a different submission, account, environment or time',
  dropped_while_active: 'the event was dropped although the endpoint was active at the time of the change',
  superseded_by_nothing: 'the event is superseded, but the submission has no later one',
  lease_lost: 'the lease of the attempt has expired, but no worker has closed the attempt',
  overdue: 'the next attempt has been due for more than five minutes although the endpoint is enabled',
} as const;

export type Fault = keyof typeof FAULTS;

/** How long after its end a lost lease may go unnoticed: workers check every second. */
const LEASE_GRACE_MS = 60_000;
/** How long an attempt may be due. */
const DUE_GRACE_MS = 300_000;

/** The faults that are repaired by an event with the submission's current status. */
export const REPAIRED_BY_RESTATING: ReadonlySet<Fault> = new Set<Fault>([
  'missing',
  'dropped_while_active',
  'superseded_by_nothing',
]);

/**
 * Returns the fault of a change at `now`; undefined if no endpoint was active at its time, or if its event has arrived,
 * has ended, is in progress, or was replaced by a later one. Implements docs/contract.md, section 7.
 */
export function faultOf(change: ListedChange, found: OnRecord | Absent, now: Date): Fault | undefined {
  if (found.state === 'absent') return found.activeThen && !found.covered ? 'missing' : undefined;
  const isSame =
    found.submissionId === change.submissionId &&
    found.accountId === change.accountId &&
    found.environment === change.environment &&
    Number(found.occurredAt) === Number(change.occurredAt);
  if (!isSame) return 'differs';
  switch (found.state) {
    case 'dropped':
      return found.activeThen ? 'dropped_while_active' : undefined;
    case 'superseded':
      return isCovered(change, found.successor) ? undefined : 'superseded_by_nothing';
    case 'pending':
      return stuck(found, now);
    case 'delivered':
    case 'exhausted':
    case 'expired':
      return undefined;
    default:
      return found satisfies never;
  }
}

/** A chain that ends at a superseded or dropped event delivers nothing. */
function isCovered(change: ListedChange, successor: Successor | undefined): boolean {
  return (
    successor !== undefined &&
    successor.submissionId === change.submissionId &&
    successor.occurredAt >= change.occurredAt &&
    successor.state !== 'superseded' &&
    successor.state !== 'dropped'
  );
}

function stuck({ leaseUntil, nextAttemptAt, endpointTakesEvents }: OnRecord, now: Date): Fault | undefined {
  if (leaseUntil && now.getTime() - leaseUntil.getTime() > LEASE_GRACE_MS) return 'lease_lost';
  if (nextAttemptAt && endpointTakesEvents && now.getTime() - nextAttemptAt.getTime() > DUE_GRACE_MS) {
    return 'overdue';
  }
  return undefined;
}

/** The period in which the checked changes were recorded: at or after `since`, before `until`. */
export interface Span {
  readonly since: Date;
  readonly until: Date;
}

/** Returns one page of the submission service's changes, in the order of recording; `next` is empty after the last. */
export type ListChanges = (
  span: Span,
  pageToken: string,
) => Promise<{ readonly changes: readonly ListedChange[]; readonly next: string }>;

/** What is wrong with an event that no listed change explains, each with its description. */
export const UNEXPLAINED = {
  unexplained: 'there is an event for a change that did not happen, or of a submission that does not exist',
  other_account: 'the event belongs to another account than its submission',
  other_environment: 'the event belongs to another environment than its submission',
} as const;

/** Whom an event is delivered to. */
export interface EventOwner {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
}

/** Returns what is wrong with the owner of an event; undefined if nothing is. */
export function ownerFaultOf(
  { accountId, environment }: EventOwner,
  submission: EventOwner | undefined,
): keyof typeof UNEXPLAINED | undefined {
  if (!submission) return 'unexplained';
  if (submission.accountId !== accountId) return 'other_account';
  return submission.environment === environment ? undefined : 'other_environment';
}
