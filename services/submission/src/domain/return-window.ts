import { Status } from '@supplier/proto/common/v1/status';
import type { SubmissionState } from './submission.ts';

const DAY_MS = 86_400_000;

/** Whether a lead can be returned now: only an accepted one, only within `windowDays` of its decision. */
export function canBeReturned(
  submission: Pick<SubmissionState, 'status' | 'decidedAt'>,
  now: Date,
  windowDays: number,
): boolean {
  const { status, decidedAt } = submission;
  return (
    status === Status.ACCEPTED &&
    decidedAt !== null &&
    now.getTime() <= decidedAt.getTime() + windowDays * DAY_MS
  );
}
