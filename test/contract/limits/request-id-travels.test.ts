import { randomUUID } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { submissionOf } from '../../harness/answers.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { staff } from '../../harness/rpc.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';
import { delivered } from '../../harness/webhooks.ts';

const alpha = supplier('alpha');

/** The events of one submission, published or about to be. */
async function eventsOf(submissionId: string): Promise<EventEnvelope[]> {
  const rows = await rowsOf(
    'submission',
    `select envelope from published_event where aggregate_id = $1
      union all select envelope from outbox where aggregate_id = $1`,
    [submissionId],
  );
  return rows.map((row) => fromBinary(EventEnvelopeSchema, (row as { envelope: Uint8Array }).envelope));
}

describe('the id of a request', () => {
  it('is on every event that the request causes, and so on the one that its webhook carries', async () => {
    const requestId = `travels-${randomUUID()}`;
    const answer = await alpha.create(enquiry(), { headers: { 'x-request-id': requestId } });
    const submission = submissionOf(answer, 202);
    const { envelope } = await delivered(alpha, submission, 'anything');
    const events = await eventsOf(submission.submission_id);
    expect(new Set(events.map((event) => event.requestId))).toEqual(new Set([requestId]));
    expect(events.map(({ eventId }) => eventId)).toContain(envelope.id);
  });

  it('is on the audit line of what staff do by it', async () => {
    const requestId = `staff-${randomUUID()}`;
    const { submission_id: submissionId } = submissionOf(await alpha.create(enquiry()), 202);
    const headers = { 'x-request-id': requestId };
    await waitFor('the application to exist', async () => {
      await staff
        .submission()
        .getApplication({ purpose: 'looked at by a test', submissionId }, { headers })
        .catch((error: unknown) => {
          throw new NotYet(String(error));
        });
    });
    const lines = await rowsOf('submission', 'select action from audit_entry where request_id = $1', [
      requestId,
    ]);
    expect(lines.length).toBeGreaterThan(0);
  });
});
