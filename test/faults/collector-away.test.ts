import { request } from 'undici';
import { enquiry } from '../harness/enquiries.ts';
import { everythingReady, whileDown } from '../harness/processes.ts';
import { submissionOf } from '../harness/responses.ts';
import { readStack } from '../harness/stack.ts';
import { created, supplier } from '../harness/suppliers.ts';
import { describeWhereTraced, traces } from '../harness/traces.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import { delivered } from '../harness/webhooks.ts';

beforeEach(everythingReady);

async function spansLost(): Promise<number> {
  const page = await (await request(`${readStack().private.gateway}/metrics`)).body.text();
  return Number(/^sss_trace_spans_total\{outcome="failed"\} (\d+)/m.exec(page)?.[1] ?? 0);
}

describeWhereTraced('an unavailable trace collector', () => {
  it('changes no response and no delivery; lost spans are counted, and later spans arrive once it is back', async () => {
    const alpha = supplier('alpha');
    const lostBefore = await spansLost();
    await whileDown('collector', async (collector) => {
      const submissions = [];
      for (let i = 0; i < 10; i += 1) submissions.push(submissionOf(await alpha.create(enquiry()), 202));
      for (const submission of submissions) await delivered(alpha, submission, 'anything');
      await waitFor(
        'lost spans to be counted',
        async () => {
          const lost = (await spansLost()) - lostBefore;
          if (lost < submissions.length) throw new NotYet(`${lost}`);
        },
        { withinMs: 120_000 },
      );
      await collector.bringBack();
    });
    const seen = traces();
    await waitFor(
      'spans to arrive again',
      async () => {
        const { submission_id } = await created(alpha, enquiry());
        const sent = (spans: readonly { name: string }[]) =>
          spans.some(({ name }) => name === 'POST webhook');
        await seen.ofSubmission(submission_id, 'its webhook', sent, { withinMs: 30_000 });
      },
      { throughErrors: true, withinMs: 120_000 },
    );
  });
});
