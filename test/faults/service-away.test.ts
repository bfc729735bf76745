import { newAccount } from '../harness/accounts.ts';
import { chargesAndCredits, ledgerOf } from '../harness/billing.ts';
import { enquiry } from '../harness/enquiries.ts';
import type { Answer } from '../harness/http.ts';
import { OPERATIONS, type OperationName, operation } from '../harness/operations.ts';
import { everythingReady, whileDown } from '../harness/processes.ts';
import { refusalOf, submissionOf } from '../harness/responses.ts';
import type { StatusObject } from '../harness/schemas.ts';
import { created, isBilled, settled, supplier } from '../harness/suppliers.ts';
import { timed } from '../harness/timing.ts';
import { delivered } from '../harness/webhooks.ts';

const PATIENCE_MS = 5_000;
const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[];
const OPERATIONS_OF_SUBMISSIONS: readonly OperationName[] = OPERATION_NAMES.filter(
  (name) => name !== 'create-upload-url' && name !== 'finalize-upload',
);

beforeEach(everythingReady);

describe('an unavailable service', () => {
  it('account: an uncached credential gets 503, not 401', async () => {
    const unmet = await (await newAccount()).issue();
    await whileDown('account', async (account) => {
      await unavailableInTime(() => unmet.create(enquiry()));
      await account.bringBack();
    });
    await everythingReady();
    submissionOf(await unmet.create(enquiry()), 202);
  });

  it.each([
    ['submission', ['create-upload-url', 'finalize-upload']],
    ['document', OPERATIONS_OF_SUBMISSIONS],
  ] as const)('%s: every operation that needs it gets 503 in time', async (service, others) => {
    const alpha = supplier('alpha');
    const needing = OPERATION_NAMES.filter((name) => !others.some((other) => other === name));
    await whileDown(service, async (away) => {
      for (const name of needing) {
        const { method, path, body } = operation(name);
        await unavailableInTime(() => alpha.call({ method, path: path(), ...(body && { body: body() }) }));
      }
      await away.bringBack();
    });
  });

  it('billing and webhook: enquiries are still decided, and are charged and delivered later', async () => {
    const alpha = supplier('alpha', 'production');
    await whileDown('billing', (billing) =>
      whileDown('webhook', async (webhook) => {
        const first = await created(alpha, enquiry());
        const is = (status: string) => (s: StatusObject) => s.status === status;
        const accepted = await settled(alpha, first.submission_id, 'accepted', is('accepted'));
        expect(accepted.billing.billing_status).toBe('billable');
        await Promise.all([billing.bringBack(), webhook.bringBack()]);
        await everythingReady();
        const charged = await ledgerOf(first.submission_id, ({ entries }) => entries.length > 0);
        expect(chargesAndCredits(charged)).toEqual(['charge']);
        await delivered(alpha, first, 'billed', isBilled, { withinMs: 150_000 });
      }),
    );
  }, 120_000);
});

async function unavailableInTime(call: () => Promise<Answer>): Promise<void> {
  const { answer, ms } = await timed(call);
  expect(refusalOf(answer, 503).code).toBe('service_unavailable');
  expect(ms).toBeLessThan(PATIENCE_MS);
}
