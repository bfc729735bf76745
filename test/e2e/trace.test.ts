import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { enquiry, fullDelivery, fullEnquiry } from '../harness/enquiries.ts';
import { submissionOf } from '../harness/responses.ts';
import { stackFile } from '../harness/stack.ts';
import { createdBasic, isBilled, settled, supplier } from '../harness/suppliers.ts';
import { describeWhereTraced, lineage, type Span, traces } from '../harness/traces.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import { delivered } from '../harness/webhooks.ts';

const CREATE = 'supplier.submission.v1.SubmissionService/CreateSubmission';
const FOREIGN = { traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) };

const named = (trace: readonly Span[], name: string, service?: string) =>
  trace.filter((span) => span.name === name && (service === undefined || span.service === service));

describeWhereTraced('a submission', () => {
  it('has one trace from the request to the response to its webhook', async () => {
    const seen = traces();
    const alpha = supplier('alpha', 'production');
    const traceparent = `00-${FOREIGN.traceId}-${FOREIGN.spanId}-01`;
    const answer = await alpha.create(fullEnquiry(), { headers: { traceparent, tracestate: 'their=own' } });
    const first = submissionOf(answer, 202);
    await settled(alpha, first.submission_id, 'billed', isBilled);
    const event = await delivered(alpha, first, 'accepted and billed', isBilled);

    const trace = await seen.ofSubmission(
      first.submission_id,
      'its billing and its webhook',
      (spans) =>
        named(spans, 'POST webhook').some(
          ({ attributes }) => attributes['sss.event.id'] === event.envelope.id,
        ) && named(spans, 'process SubmissionStatusChanged', 'billing').length > 0,
    );
    const post = named(trace, 'POST webhook').find(
      ({ attributes }) => attributes['sss.event.id'] === event.envelope.id,
    );
    expect(post && lineage(trace, post)).toEqual([
      'webhook: POST webhook',
      'webhook: process SubmissionStatusChanged',
      `submission: ${CREATE}`,
      `gateway: ${CREATE}`,
      'gateway: POST /v1/supplier-submissions',
    ]);
    expect(post).toMatchObject({
      kind: 'client',
      isError: false,
      attributes: { 'http.response.status_code': 204, 'sss.attempt': 1 },
    });
    // No span is disconnected.
    for (const span of trace)
      expect(lineage(trace, span).at(-1)).toBe('gateway: POST /v1/supplier-submissions');
    const processed = named(trace, 'process SubmissionStatusChanged', 'billing')[0];
    expect(processed?.events).toMatchObject([{ name: 'published' }]);
    expect(processed?.attributes).toMatchObject({
      'messaging.system': 'nats',
      'messaging.destination.name': 'SUBMISSION',
      'sss.submission.id': first.submission_id,
    });
  });

  it('starts a new trace, even if its supplier sends one, and reveals nothing of it', async () => {
    const seen = traces();
    const alpha = supplier('alpha');
    const traceparent = `00-${FOREIGN.traceId}-${FOREIGN.spanId}-00`;
    const answer = await alpha.create(enquiry(), { headers: { traceparent } });
    const submission = submissionOf(answer, 202);
    const event = await delivered(alpha, submission, 'anything');
    const trace = await seen.ofSubmission(
      submission.submission_id,
      'the request',
      (spans) => named(spans, 'POST /v1/supplier-submissions').length > 0,
    );
    const [request] = named(trace, 'POST /v1/supplier-submissions');
    expect(request).toMatchObject({
      kind: 'server',
      parentSpanId: '',
      links: [{ ...FOREIGN, isSampled: false }],
      attributes: {
        'http.route': '/v1/supplier-submissions',
        'http.response.status_code': 202,
        'sss.request.id': answer.requestId,
        'sss.account.id': alpha.accountId,
        'sss.environment': 'sandbox',
      },
    });
    expect(request?.traceId).not.toBe(FOREIGN.traceId);
    for (const headers of [answer.headers, event.headers]) {
      expect(Object.keys(headers).filter((name) => /^(?:trace|b3|baggage)/i.test(name))).toEqual([]);
    }
    const log = readFileSync(join(dirname(stackFile()), 'logs', 'gateway.log'), 'utf8');
    const line = log
      .split('\n')
      .find((text) => text.includes(answer.requestId) && text.includes('"request"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      trace_id: request?.traceId,
      span_id: request?.spanId,
      request_id: answer.requestId,
    });
  });

  it('at basic level is decided in its request, with its Application created in the same trace', async () => {
    const seen = traces();
    const submission = await createdBasic(supplier('alpha'), fullDelivery());
    const trace = await seen.ofSubmission(
      submission.submission_id,
      'its Application',
      (spans) => named(spans, 'mint').length > 0,
    );
    const [mint] = named(trace, 'mint', 'submission');
    expect(mint && lineage(trace, mint)).toEqual([
      'submission: mint',
      `submission: ${CREATE}`,
      `gateway: ${CREATE}`,
      expect.stringMatching(/^gateway: POST \/v2\//),
    ]);
  });

  it('that is processed in a batch is linked with the batch, in both directions', async () => {
    const alpha = supplier('alpha');
    await waitFor('Applications to be made together', async () => {
      const seen = traces();
      const made = await Promise.all(Array.from({ length: 32 }, () => createdBasic(alpha, fullDelivery())));
      const ids = made.map(({ submission_id }) => submission_id);
      const minted = await waitFor('their Applications', async () => {
        const found = named(seen.spans(), 'mint').filter(({ attributes }) =>
          ids.includes(String(attributes['sss.submission.id'])),
        );
        if (found.length < ids.length) throw new NotYet(`${found.length} of ${ids.length}`);
        return found;
      });
      const together = minted.filter(({ links }) => links.length === 1);
      if (together.length < 2) throw new NotYet('each was made alone');
      const sets = await waitFor('their sets', async () => {
        const found = together.map(({ links: [link] }) =>
          seen.spans().find(({ spanId }) => spanId === link?.spanId),
        );
        if (!found.every((set) => set !== undefined)) throw new NotYet('not all');
        return found;
      });
      for (const [place, { traceId, parentSpanId }] of together.entries()) {
        expect(sets[place]).toMatchObject({ name: 'mint set', service: 'submission', parentSpanId: '' });
        expect(sets[place]?.links).toContainEqual({ traceId, spanId: parentSpanId, isSampled: true });
      }
    });
  });
});
