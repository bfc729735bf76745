import { Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Lead } from './lead.ts';

const DAY_MS = 86_400_000;

/**
 * Whether a lead can be returned now: only an accepted one, only within `windowDays` of its decision or, if that came
 * later, of its Application. One that staff have closed without a return stays closed. Implements docs/contract.md,
 * section 5.
 */
export function canBeReturned(
  { state, preUnderwriting }: Pick<Lead, 'state' | 'preUnderwriting'>,
  now: Date,
  windowDays: number,
): boolean {
  const { status, decidedAt, application } = state;
  if (status !== Status.ACCEPTED || decidedAt === null) return false;
  if (preUnderwriting?.state === PreUnderwritingState.NOT_CLEARED) return false;
  const from = Math.max(decidedAt.getTime(), application?.createdAt.getTime() ?? 0);
  return now.getTime() <= from + windowDays * DAY_MS;
}
