import type { SubmissionId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import type { Context, Rpcs } from '../context.ts';
import { listEvents as listRecorded } from '../db/read-events.ts';
import { eventMessage } from '../messages/event-message.ts';

/** More than a submission can come to by itself. */
const LIMIT = 500;

/**
 * The events recorded for a submission, oldest first, with their attempts; what no endpoint was active for is among
 * them as dropped. A submission that nothing was recorded for has none, whether it exists or not: this service does not
 * know submissions. Implements docs/contract.md, section 7.
 */
export function listEvents({ db }: Context): Rpcs['listEvents'] {
  return async (request) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const events = await listRecorded(db, submissionId, LIMIT);
    return { events: events.map((event) => eventMessage(event)) };
  };
}
