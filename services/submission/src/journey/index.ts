import { create } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import { toTimestamp } from '@supplier/lib/text/time';
import { HandoffSchema, Level, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type pg from 'pg';
import type { Context } from '../context.ts';
import {
  isHandedOff,
  journeyUrl,
  type NewJourneyLink,
  newJourneyLink,
  type OpenJourneyLink,
} from '../model/journey-link.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { toStatusMessage } from '../model/status-message.ts';
import type { SubmissionState } from '../model/submission.ts';
import { restate, withLink } from '../model/transitions.ts';
import { isUsable, openJourneyLink } from '../store/journey-link-row.ts';
import { lockSubmission, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { findLatestJourneyLink } from './journey-links.sql.ts';

type Needs = Pick<Context, 'clock' | 'config' | 'keyRing'>;
type Sql = Pick<pg.Pool, 'query'>;

/**
 * Returns the supplier-visible state, with the handoff link while it works. Creates no link. docs/contract.md, section
 * 3.
 */
export async function statusWithHandoff(
  context: Needs,
  sql: Sql,
  state: SubmissionState,
): Promise<SubmissionStatus> {
  if (!isHandedOff(state)) return toStatusMessage(state);
  const row = await findLatestJourneyLink(sql, state.id, JourneyLinkKind.HANDOFF);
  if (!row || !isUsable(row, context.clock.now())) return toStatusMessage(state);
  return statusWithLink(context, state, openJourneyLink(row, context.keyRing));
}

/**
 * Returns the same, with a new link if the earlier one no longer works. Of several concurrent calls one creates the
 * link and all return it.
 */
export async function statusWithFreshHandoff(
  context: Context,
  state: SubmissionState,
): Promise<SubmissionStatus> {
  const seen = await statusWithHandoff(context, context.pool, state);
  if (seen.handoff || !isHandedOff(state)) return seen;
  const status = await inTransaction(context.pool, async (tx) => {
    const row = await lockSubmission(tx, state.id);
    // An erased submission gets no new link.
    if (!row || row.enquiry === null) return seen;
    const submission = submissionOf(row);
    const current = await statusWithHandoff(context, tx, submission.state);
    if (current.handoff || !isHandedOff(submission.state)) return current;
    return renewHandoff(context, tx, submission);
  });
  context.wakes.relay();
  return status;
}

/** A new link emits no event, unless it is the submission's first. */
async function renewHandoff(
  context: Context,
  tx: pg.PoolClient,
  submission: LockedSubmission,
): Promise<SubmissionStatus> {
  const { clock, config, keyRing } = context;
  const last = await findLatestJourneyLink(tx, submission.state.id, JourneyLinkKind.HANDOFF);
  const now = clock.now();
  const link = newJourneyLink({
    submissionId: submission.state.id,
    kind: JourneyLinkKind.HANDOFF,
    number: (last?.number ?? 0) + 1,
    now,
    hours: config.handoffLinkHours,
  });
  const renewed = last ? submission : restate(submission, StatusChange.HANDOFF_AVAILABLE, now);
  saveSubmissions(tx, keyRing, [withLink(renewed, link)]);
  return statusWithLink(context, submission.state, link);
}

function statusWithLink(
  { config }: Needs,
  state: SubmissionState,
  link: Pick<OpenJourneyLink, 'token' | 'expiresAt'>,
): SubmissionStatus {
  const handoff = create(HandoffSchema, {
    customerJourneyUrl: journeyUrl(config.pagesUrls, state.environment, link.token),
    expiresAt: toTimestamp(link.expiresAt),
  });
  return { ...toStatusMessage(state), handoff };
}

/** Returns the arrival link to record with a new submission; null if it gets none. docs/contract.md, section 2. */
export function newArrivalLink(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  state: SubmissionState,
): NewJourneyLink | null {
  if (!arrives(state)) return null;
  const kind = JourneyLinkKind.ARRIVAL;
  const hours = config.arrivalLinkHours;
  return newJourneyLink({ submissionId: state.id, kind, number: 1, now: clock.now(), hours });
}

/** Returns the part of a create response that contains a new arrival link. */
export function arrivalScreen(
  { config }: Pick<Context, 'config'>,
  { environment }: Pick<SubmissionState, 'environment'>,
  link: { readonly token: string } | null,
): { arrivalScreenUrl?: string } {
  return link ? { arrivalScreenUrl: journeyUrl(config.pagesUrls, environment, link.token) } : {};
}

/** Returns the original link for a replay, while it works, so that a lost response does not lose the applicant. */
export async function arrivalScreenAgain(
  context: Pick<Context, 'clock' | 'config' | 'pool' | 'keyRing'>,
  state: SubmissionState,
): Promise<{ arrivalScreenUrl?: string }> {
  if (!arrives(state)) return {};
  const row = await findLatestJourneyLink(context.pool, state.id, JourneyLinkKind.ARRIVAL);
  if (!row || !isUsable(row, context.clock.now())) return {};
  return arrivalScreen(context, state, openJourneyLink(row, context.keyRing));
}

function arrives({ level, enrolments }: SubmissionState): boolean {
  return level === Level.APPLICATION && enrolments?.arrivalScreen === true;
}
