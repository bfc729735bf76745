import { create } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import { appendAudit } from '@supplier/lib/governance/audit';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { ErasureStep } from '@supplier/proto/submission/v1/erasures';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { transitionInputs } from '../decide/index.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { type Decision, STAFF_POLICY } from '../model/policy/decision-policy.ts';
import { decide } from '../model/transitions.ts';
import { lockSubmission, type SubmissionRow, submissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { eraseSubmission, isWorkParked } from './erase-submission.sql.ts';
import { type ClaimedErasure, type Removed, saveStep } from './erasures.sql.ts';
import { isHeld } from './legal-holds.sql.ts';

/** The decision for a submission that can no longer be assessed, because its applicant has been erased. */
const WITHDRAWN: Decision = {
  status: Status.REJECTED,
  policyVersion: STAFF_POLICY,
  rule: 'erasure',
  reason: 'The applicant was erased before a decision.',
};

/** The reason why the erasure in this service waits. */
export type OwnWait = 'work' | 'hold';

/**
 * Erases this service's data about a submission, in one transaction with the record of the erasure. Waits while a
 * worker is deciding, minting or pre-underwriting it, which takes moments. Rejects it if its decision is up to staff,
 * or has failed permanently, since it can no longer be assessed. Resolves to the reason for waiting; undefined when it
 * is done.
 */
export async function eraseOwn(context: Context, claim: ClaimedErasure): Promise<OwnWait | undefined> {
  const { workPool, clock } = context;
  const ended = await inTransaction(workPool, async (tx) => {
    const row = await lockSubmission(tx, claim.submission_id);
    if (!row) throw new Error('invariant violated: no submission for its erasure');
    if (await isHeld(tx, row.id)) return { wait: 'hold' } as const;
    const isParked = await isWorkParked(tx, row.id);
    if (!isParked && isInMotion(row)) return { wait: 'work' } as const;
    const rejected = withdraw(context, tx, row);
    const now = clock.now();
    const counts = await eraseSubmission(tx, row.id, now);
    const removed = Object.entries(counts).map(
      ([kind, count]): Removed => ({ place: 'submission', kind, count, at: now.toISOString() }),
    );
    await appendAudit(tx, {
      actor: claim.requested_by,
      issuer: claim.requested_by_issuer,
      roles: claim.requested_by_roles,
      at: now,
      action: 'EraseSubmission',
      target: row.id,
      accountId: row.account_id,
      after: { erasureId: claim.erasure_id, ...(rejected ? { status: Status[Status.REJECTED] } : {}) },
      purpose: claim.purpose,
    });
    await saveStep(tx, claim, { next: ErasureStep.DOCUMENTS, removed, completedAt: null });
    return { rejected };
  });
  if (ended.wait) return ended.wait;
  if (ended.rejected) {
    context.counts.countDecided([ended.rejected], clock.now());
    context.wakes.relay();
  }
  return undefined;
}

/** Reports whether a worker is about to decide, mint or pre-underwrite it, which needs the data to be erased. */
function isInMotion(row: SubmissionRow): boolean {
  if (row.enquiry === null) return false;
  if (row.status === Status.RECEIVED) return !row.awaits_staff;
  if (row.status !== Status.ACCEPTED) return false;
  const isUnassessed =
    row.pre_underwriting === PreUnderwritingState.PENDING && row.pre_underwriting_at === null;
  return isUnassessed || isUnminted(row);
}

function isUnminted({ level, application_minting, application_reference }: SubmissionRow): boolean {
  return (
    level === Level.BASIC &&
    application_minting === ApplicationMinting.ON_ACCEPTANCE &&
    application_reference === null
  );
}

/** Resolves to the rejected submission if it had not been decided. */
function withdraw(context: Context, tx: pg.PoolClient, row: SubmissionRow): LockedSubmission | undefined {
  if (row.status !== Status.RECEIVED) return undefined;
  const open = { ...submissionOf(row), enquiry: create(EnquirySchema) };
  const rejected = decide(open, WITHDRAWN, transitionInputs(context));
  saveSubmissions(tx, context.keyRing, [rejected]);
  return rejected;
}
