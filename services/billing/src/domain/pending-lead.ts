import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { BillingModel, Environment } from './billing-decision.ts';

/** A lead whose billing is pending, as staff look for it. */
export interface PendingLead {
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly billingModel: BillingModel;
}

/** How far the submission service has come with a lead. */
export interface LeadProgress {
  readonly isDecided: boolean;
  readonly isAccepted: boolean;
  readonly hasApplication: boolean;
}

/**
 * Why staff may not end the billing of a pending lead here; undefined when they may. What the submission service still
 * moves, it moves: there is one way for each lead.
 */
export function whyNotEnded({ isDecided, isAccepted, hasApplication }: LeadProgress): string | undefined {
  if (!isDecided) return 'The submission is not decided: decide it first.';
  if (!isAccepted) return 'The submission is not accepted: its billing ends by itself in a moment.';
  if (hasApplication)
    return 'The lead has its Application: complete its pre-underwriting, with a close reason where it can be returned no more.';
  return undefined;
}

/** When a submission was received: its id is a UUIDv7, which begins with the time in milliseconds. */
export function receivedAt(submissionId: SubmissionId): Date {
  return new Date(Number.parseInt(submissionId.replaceAll('-', '').slice(0, 12), 16));
}

/** The least id of a submission received at a time, or after it. */
export function firstIdAt(at: Date): SubmissionId {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000` as SubmissionId;
}
