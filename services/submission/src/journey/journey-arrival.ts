import { Level } from '@supplier/proto/common/v1/status';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import type { Context } from '../context.ts';
import { journeyUrl, type NewJourneyLink, newJourneyLink } from '../model/journey-link.ts';
import type { SubmissionState } from '../model/submission.ts';
import { isUsable, openJourneyLink } from '../store/journey-link-row.ts';
import { findLatestJourneyLink } from './find-journey-link.sql.ts';

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
