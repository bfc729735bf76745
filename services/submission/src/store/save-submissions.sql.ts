// SQL, because submissions are saved in sets.
import { toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { type Columns, columnMap, enqueue } from '@supplier/lib/data/postgres';
import { appending, eventValues, newEvent, type OutboxEvent } from '@supplier/lib/events/outbox';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { type ApplicationId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type pg from 'pg';
import { snapshotAad } from '../model/associated-data.ts';
import type { NewJourneyLink } from '../model/journey-link.ts';
import type { LockedSubmission, PreUnderwriting } from '../model/locked-submission.ts';
import { addAccepted } from './acceptance-counts.sql.ts';
import { linkColumns } from './journey-link-row.ts';

/** Columns written by a change to a submission, or by a decision to a new one. */
export const CHANGES = {
  id: ['uuid', ({ state }: LockedSubmission) => state.id],
  status: ['smallint', ({ state }: LockedSubmission) => state.status],
  awaits_staff: ['boolean', ({ state }: LockedSubmission) => state.awaitsStaff],
  unidentified: ['boolean', ({ state }: LockedSubmission) => state.unidentified],
  decided_at: ['timestamptz', ({ state }: LockedSubmission) => state.decidedAt],
  application_reference: ['text', ({ state }: LockedSubmission) => state.application?.reference],
  application_created_at: ['timestamptz', ({ state }: LockedSubmission) => state.application?.createdAt],
  billing_status: ['smallint', ({ state }: LockedSubmission) => state.billing.status],
  billable_at: ['timestamptz', ({ state }: LockedSubmission) => state.billing.billableAt],
  not_billable_reason: ['smallint', ({ state }: LockedSubmission) => state.billing.notBillableReason],
  return_reason: ['smallint', ({ state }: LockedSubmission) => state.returned?.reason],
  returned_at: ['timestamptz', ({ state }: LockedSubmission) => state.returned?.at],
  changed_at: ['timestamptz', ({ state }: LockedSubmission) => state.changedAt],
  version: ['bigint', ({ state }: LockedSubmission) => state.version],
  decision_policy: ['text', ({ unsaved }: LockedSubmission) => unsaved.decision?.policyVersion],
  decision_rule: ['text', ({ unsaved }: LockedSubmission) => unsaved.decision?.rule],
  decision_reason: ['text', ({ unsaved }: LockedSubmission) => unsaved.decision?.reason],
  duplicate_of: ['uuid', ({ unsaved }: LockedSubmission) => unsaved.decision?.match?.id],
  duplicate_key: ['smallint', ({ unsaved }: LockedSubmission) => unsaved.decision?.match?.key],
  accepted_today: ['integer', ({ unsaved }: LockedSubmission) => unsaved.decision?.accepted?.today],
  accepted_this_month: ['integer', ({ unsaved }: LockedSubmission) => unsaved.decision?.accepted?.thisMonth],
} as const;
const CHANGED = columnMap<LockedSubmission>(CHANGES);
/** Written once, by the decision. */
const GROUNDS = [
  ...['decision_policy', 'decision_rule', 'decision_reason'],
  ...['duplicate_of', 'duplicate_key', 'accepted_today', 'accepted_this_month'],
];

interface Assessed {
  readonly id: SubmissionId;
  readonly preUnderwriting: PreUnderwriting;
}

/** Columns of an Application that pre-underwriting writes. */
const ASSESSED = {
  pre_underwriting: ['smallint', ({ preUnderwriting }: Assessed) => preUnderwriting.state],
  pre_underwriting_at: ['timestamptz', ({ preUnderwriting }: Assessed) => preUnderwriting.at],
  pre_underwriting_policy: ['text', ({ preUnderwriting }: Assessed) => preUnderwriting.policyVersion],
  close_reason: ['text', ({ preUnderwriting }: Assessed) => preUnderwriting.closeReason],
} as const;
/**
 * Lists of different lengths do not fit in an SQL array, so reasons, of which there is at most one, are passed as one
 * text.
 */
const JOINED = {
  reasons: ['text', ({ preUnderwriting }: Assessed) => preUnderwriting.reasons.join(',')],
} as const;
const REASONS = "coalesce(string_to_array(nullif(g.reasons, ''), ','), '{}')";
const REASSESSED = columnMap<Assessed>({ submission_id: ['uuid', ({ id }) => id], ...ASSESSED, ...JOINED });

interface Minted extends Assessed {
  readonly reference: string;
  readonly createdAt: Date;
  readonly snapshot: Uint8Array;
}

const APPLICATION: Columns<Minted> = {
  id: ['uuid', () => newId<ApplicationId>()],
  submission_id: ['uuid', ({ id }) => id],
  reference: ['text', ({ reference }) => reference],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  snapshot: ['bytea', ({ snapshot }) => snapshot],
  ...ASSESSED,
};
const APPLICATION_NAMES = columnMap(APPLICATION).names;
const MINTED = columnMap<Minted>({ ...APPLICATION, ...JOINED });

/**
 * Saves submissions that one transaction has locked and changed, in a few statements for any number of submissions. Resolves to the
 * ids of their events, submission by submission in the order of ids.
 */
export function saveSubmissions(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  submissions: readonly LockedSubmission[],
): EventId[] {
  if (submissions.length === 0) return [];
  // Every transaction writes rows in the same order, which prevents deadlocks.
  const ordered = [...submissions].sort((a, b) => (a.state.id < b.state.id ? -1 : 1));
  const reassessed = ordered.flatMap(reassessedOf);
  if (reassessed.length > 0) saveAssessments(tx, reassessed);
  saveLinks(tx, keyRing, ordered);
  saveAccepted(tx, ordered);
  const effects = effectsOf(keyRing, ordered);
  enqueue(tx, {
    name: 'save-submissions',
    text: SAVE,
    values: [...CHANGED.values(ordered), ...effects.values],
  });
  return effects.eventIds;
}

const SAVE = `
  WITH changed AS (
    UPDATE submission s
       SET ${CHANGED.assignments('id', ...GROUNDS)},
           ${GROUNDS.map((name) => `${name} = coalesce(g.${name}, s.${name})`).join(', ')},
           work_attempts = 0, work_failure = NULL, work_parked_at = NULL,
           work_due_at = CASE WHEN s.work_attempts = 0 THEN s.work_due_at ELSE clock_timestamp() END
      FROM ${CHANGED.given()} WHERE s.id = g.id)
  ${effectsAfter(CHANGED.count)}`;

/**
 * Returns SQL for what follows the rows of submissions in one statement: their new Applications and their events, whose
 * parameters come after `count` others.
 */
export function effectsAfter(count: number): string {
  return `, minted AS (
      INSERT INTO application (${APPLICATION_NAMES}, pre_underwriting_reasons)
      SELECT ${APPLICATION_NAMES}, ${REASONS} FROM ${MINTED.given(1 + count)}),
    ${appending(1 + count + MINTED.count)}`;
}

/** Returns the parameters for that SQL, and the ids of the events. */
export function effectsOf(
  keyRing: KeyRing,
  submissions: readonly LockedSubmission[],
): { values: unknown[][]; eventIds: EventId[] } {
  const events = submissions.flatMap(eventsOf);
  const minted = submissions.flatMap((submission) => mintedOf(keyRing, submission));
  return {
    values: [...MINTED.values(minted), ...eventValues(events)],
    eventIds: events.map(({ eventId }) => eventId),
  };
}

/** Counts the submissions accepted by these changes towards the caps of their accounts. */
export function saveAccepted(tx: pg.PoolClient, submissions: readonly LockedSubmission[]): void {
  const accepted = submissions.filter(({ unsaved }) => unsaved.countsForCaps);
  if (accepted.length > 0) addAccepted(tx, accepted);
}

/** Ends the links that these changes end, and records the new ones. */
export function saveLinks(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  submissions: readonly LockedSubmission[],
): void {
  const ended = submissions.filter(({ unsaved }) => unsaved.endsLinks);
  if (ended.length > 0) endLinks(tx, ended);
  insertLinks(
    tx,
    keyRing,
    submissions.flatMap(({ unsaved }) => unsaved.links),
  );
}

function saveAssessments(tx: pg.PoolClient, assessed: readonly Assessed[]): void {
  enqueue(tx, {
    name: 'save-assessments',
    text: `UPDATE application a
              SET ${REASSESSED.assignments('submission_id', 'reasons')}, pre_underwriting_reasons = ${REASONS}
             FROM ${REASSESSED.given()} WHERE a.submission_id = g.submission_id`,
    values: REASSESSED.values(assessed),
  });
}

function endLinks(tx: pg.PoolClient, submissions: readonly LockedSubmission[]): void {
  enqueue(tx, {
    name: 'end-links',
    text: `UPDATE journey_link l SET ended_at = g.at FROM unnest($1::uuid[], $2::timestamptz[]) AS g(id, at)
            WHERE l.submission_id = g.id AND l.used_at IS NULL AND l.ended_at IS NULL`,
    values: [submissions.map(({ state }) => state.id), submissions.map(({ state }) => state.changedAt)],
  });
}

export function insertLinks(tx: pg.PoolClient, keyRing: KeyRing, links: readonly NewJourneyLink[]): void {
  if (links.length === 0) return;
  const columns = linkColumns(keyRing);
  enqueue(tx, {
    name: 'insert-links',
    text: `INSERT INTO journey_link (${columns.names}) SELECT ${columns.names} FROM ${columns.given()}`,
    values: columns.values(links),
  });
}

function mintedOf(keyRing: KeyRing, { state, preUnderwriting, unsaved }: LockedSubmission): Minted[] {
  const { application, id } = state;
  if (!unsaved.snapshot || !application || !preUnderwriting) return [];
  const snapshot = keyRing.seal(toBinary(EnquirySchema, unsaved.snapshot), snapshotAad(id));
  return [{ id, ...application, snapshot, preUnderwriting }];
}

/** The Application existed before. Writing it again unchanged has no effect. */
function reassessedOf({ state, preUnderwriting, unsaved }: LockedSubmission): Assessed[] {
  return preUnderwriting && !unsaved.snapshot && unsaved.assessed ? [{ id: state.id, preUnderwriting }] : [];
}

/** The cause is the current request, if any; otherwise the one that created the submission. */
function eventsOf({ state, context: made, unsaved }: LockedSubmission): OutboxEvent[] {
  const context = currentContext() ?? made;
  return unsaved.events.map(({ message, aggregateVersion, occurredAt, facet }) =>
    newEvent(SubmissionStatusChangedSchema, message, {
      aggregateId: state.id,
      aggregateVersion,
      occurredAt,
      facet,
      ...(context ? { context } : {}),
    }),
  );
}
