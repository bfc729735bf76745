import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type EventEnvelope, EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { formsOf } from '../../harness/encoded-forms.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rowsOf } from '../../harness/processes.ts';
import { submissionOf } from '../../harness/responses.ts';
import { stackFile } from '../../harness/stack.ts';
import { databases, filesWith, tablesWith } from '../../harness/stored-values.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';
import { delivered } from '../../harness/webhooks.ts';

const alpha = supplier('alpha');

/** Returns the events of one submission, published or pending. */
async function eventsOf(submissionId: string): Promise<EventEnvelope[]> {
  const rows = await rowsOf('submission', 'select envelope from domain_event where aggregate_id = $1', [
    submissionId,
  ]);
  return rows.map((row) => fromBinary(EventEnvelopeSchema, (row as { envelope: Uint8Array }).envelope));
}

describe('a request id', () => {
  it('is on every event that the request causes, including the one in its webhook', async () => {
    const requestId = randomUUID();
    const answer = await alpha.create(enquiry(), { headers: { 'x-request-id': requestId } });
    const submission = submissionOf(answer, 202);
    const { envelope } = await delivered(alpha, submission, 'anything');
    const events = await eventsOf(submission.submission_id);
    expect(new Set(events.map((event) => event.requestId))).toEqual(new Set([requestId]));
    expect(events.map(({ eventId }) => eventId)).toContain(envelope.id);
  });

  it('is echoed when the supplier chose it, appears in the log line with our id, and is stored nowhere', async () => {
    const mark = `ada.${randomUUID()}@example.com`;
    const answer = await alpha.create(enquiry(), { headers: { 'x-request-id': mark } });
    const submission = submissionOf(answer, 202);
    expect(answer.requestId).toBe(mark);
    await delivered(alpha, submission, 'anything');
    const [ours, ...others] = new Set(
      (await eventsOf(submission.submission_id)).map((event) => event.requestId),
    );
    expect(others).toEqual([]);
    await waitFor('the access log', async () => {
      const line = readFileSync(join(dirname(stackFile()), 'logs', 'gateway.log'), 'utf8')
        .split('\n')
        .find((text) => text.includes(mark));
      if (!line) throw new NotYet('no line');
      expect(JSON.parse(line)).toMatchObject({ request_id: mark, inner_request_id: ours });
    });
    const forms = formsOf([mark]);
    const kept = await Promise.all((await databases()).map((name) => tablesWith(name, forms)));
    expect(kept.flat()).toEqual([]);
    expect(filesWith('nats', forms)).toEqual([]);
  });
});
