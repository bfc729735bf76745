import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { listEvents as listRecorded } from '../store/events.ts';
import { eventMessage } from './event-message.ts';

/** More events than one submission normally gets. */
const LIMIT = 500;

/**
 * The events recorded for a submission, oldest first, with their attempts; including dropped ones, for which no
 * endpoint was active. Empty for a submission without recorded events, whether it exists or not: this service does not
 * know submissions. Implements docs/contract.md, section 7.
 */
export function listEvents({ db }: Context): Rpcs['listEvents'] {
  return async (request) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const events = await listRecorded(db, submissionId, LIMIT);
    return { events: events.map((event) => eventMessage(event)) };
  };
}
