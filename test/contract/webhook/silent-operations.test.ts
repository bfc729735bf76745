import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { correction, delivery, fullPromotion } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, supplier } from '../../harness/suppliers.ts';
import { delivered, deliveriesOf } from '../../harness/webhooks.ts';

// In the sandbox billing never changes, and this supplier's Applications are created only by promotion.
const api = supplier('promoting');

it('corrections and promotions send no webhook, and the next change shows their effect', async () => {
  const accepted = await createdBasic(api, delivery());
  await delivered(api, accepted, 'accepted', ({ status }) => status === 'accepted');
  submissionOf(await api.correct(accepted.submission_id, correction()), 200);
  const promoted = submissionOf(await api.promote(accepted.submission_id, fullPromotion()), 200);
  await staff.submission().returnSubmission({
    submissionId: accepted.submission_id,
    reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
  });
  const last = await delivered(api, accepted, 'returned', ({ status }) => status === 'returned');
  expect(last.envelope.data.application_reference).toBe(promoted.application_reference);
  const told = await deliveriesOf(api, accepted);
  expect(told.map(({ envelope }) => envelope.data.status)).toEqual(['accepted', 'returned']);
});
