import { create } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/time';
import { HandoffSchema, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import { JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { findLatestJourneyLink } from '../db/find-journey-link.ts';
import { newJourneyLink, type OpenJourneyLink, openJourneyLink } from '../db/journey-link-row.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { saveChange } from '../db/save-change.ts';
import { stateOf } from '../db/submission-row.ts';
import { isHandedOff, journeyLinkState, journeyUrl } from '../domain/journey-link.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import { type SubmissionState, timeOfChange } from '../domain/submission.ts';

type Needs = Pick<Context, 'clock' | 'config' | 'keyRing'>;

/** The supplier-visible state, with the handoff link while it works. Makes no link. docs/contract.md, section 3. */
export async function statusWithHandoff(
  context: Needs & { readonly db: Pick<Transaction, 'journeyLink'> },
  state: SubmissionState,
): Promise<SubmissionStatus> {
  if (!isHandedOff(state)) return toStatusMessage(state);
  const row = await findLatestJourneyLink(context.db, state.id, JourneyLinkKind.HANDOFF);
  const works = row && journeyLinkState(row, context.clock.now()) === JourneyLinkState.USABLE;
  return works ? withLink(context, state, openJourneyLink(row, context.keyRing)) : toStatusMessage(state);
}

/** The same, with a fresh link where the earlier one works no longer. Of many at once, one makes it and all show it. */
export async function statusWithFreshHandoff(
  context: Needs & Pick<Context, 'db'>,
  state: SubmissionState,
): Promise<SubmissionStatus> {
  const seen = await statusWithHandoff(context, state);
  if (seen.handoff || !isHandedOff(state)) return seen;
  return context.db.$transaction(async (tx) => {
    const row = await lockSubmission(tx, state.id);
    const locked = row ? stateOf(row) : state;
    const current = await statusWithHandoff({ ...context, db: tx }, locked);
    if (current.handoff || !isHandedOff(locked)) return current;
    return withLink(context, locked, await renewHandoff(context, tx, locked));
  });
}

/**
 * Makes the first handoff link of a locked submission that is accepted in this transaction, if it is to have one. The
 * event of the decision then tells of the link too. Resolves to whether it made one.
 */
export async function openHandoff(context: Needs, tx: Transaction, state: SubmissionState): Promise<boolean> {
  if (!isHandedOff(state)) return false;
  await insertHandoff(context, tx, state, 1);
  return true;
}

/** A new link alone is no event; the first that a submission has ever had is one. */
async function renewHandoff(context: Needs, tx: Transaction, state: SubmissionState) {
  const last = await findLatestJourneyLink(tx, state.id, JourneyLinkKind.HANDOFF);
  if (!last) {
    const changedAt = timeOfChange(state, context.clock.now());
    await saveChange(tx, { ...state, changedAt }, StatusChange.HANDOFF_AVAILABLE);
  }
  return insertHandoff(context, tx, state, (last?.number ?? 0) + 1);
}

async function insertHandoff(
  { clock, config, keyRing }: Needs,
  tx: Transaction,
  { id }: SubmissionState,
  number: number,
): Promise<OpenJourneyLink> {
  const kind = JourneyLinkKind.HANDOFF;
  const hours = config.handoffLinkHours;
  const link = newJourneyLink(keyRing, { submissionId: id, kind, number, now: clock.now(), hours });
  await tx.journeyLink.create({ data: link.row, select: { id: true } });
  return link;
}

function withLink({ config }: Needs, state: SubmissionState, link: OpenJourneyLink): SubmissionStatus {
  const handoff = create(HandoffSchema, {
    customerJourneyUrl: journeyUrl(config.pagesUrls, state.environment, link.token),
    expiresAt: toTimestamp(link.expiresAt),
  });
  return { ...toStatusMessage(state), handoff };
}
