import { wholeSample } from '../enquiry/sample.ts';
import type { CorrectContactBody } from '../routes/correct-contact/correct-contact.schema.ts';
import {
  type CreateDeliverySubmissionBody,
  createDeliverySubmissionSchema,
} from '../routes/create-delivery-submission/create-delivery-submission.schema.ts';
import type { CreateUploadUrlBody } from '../routes/create-upload-url/create-upload-url.schema.ts';
import type { FinalizeUploadBody } from '../routes/finalize-upload/finalize-upload.reference.ts';
import type { PromoteSubmissionBody } from '../routes/promote-submission/promote-submission.schema.ts';
import { fullBody, sampleBody } from './sample-body.ts';

/** The provider that a gateway accepts by default. */
const PROVIDER = 'screening_provider';

/** Returns the smallest valid body of a create on the delivery contract, without email contact. */
export function deliveryBody(): CreateDeliverySubmissionBody {
  const { first_name, last_name, telephone, business_name, funding_amount } = sampleBody();
  const { contact_expectation, capture_timestamp, attribution } = sampleBody();
  return {
    external_reference: 'ref-1',
    level: 'basic',
    first_name,
    last_name,
    telephone,
    business_name,
    funding_amount,
    contact_expectation: { ...contact_expectation, channels: ['phone'] },
    capture_timestamp,
    attribution,
  };
}

/** Returns the same body with every field. */
export function fullDeliveryBody(): CreateDeliverySubmissionBody {
  const fields = wholeSample(createDeliverySubmissionSchema(PROVIDER), PROVIDER);
  const { attribution } = fullBody();
  return { ...fields, ...deliveryBody(), attribution, email: 'ada@example.test', notes: 'Call after five' };
}

/** Returns a promotion with every field. */
export function fullPromotionBody(): PromoteSubmissionBody {
  const { external_reference: _reference, level: _level, ...fields } = fullBody();
  return { operation_idempotency_key: 'promote-1', ...fields };
}

/** Returns a promotion with only the required fields. */
export function promotionBody(): PromoteSubmissionBody {
  const { external_reference: _reference, level: _level, ...fields } = sampleBody();
  const { business_structure: _a, business_sector: _b, trading_duration: _c, ...some } = fields;
  const { funding_purpose: _d, funding_timeframe: _e, preferred_contact_method: _f, ...required } = some;
  return { operation_idempotency_key: 'promote-1', ...required };
}

export function correctionBody(): CorrectContactBody {
  return { operation_idempotency_key: 'correct-1', expected_revision: 0, telephone: '+44 20 7946 0001' };
}

export function uploadBody(): CreateUploadUrlBody {
  return {
    external_reference: 'ref-1',
    filename: 'statement.pdf',
    content_type: 'application/pdf',
    byte_size: 26_214_400,
    category: 'bank_statements',
  };
}

export function finalizeBody(): FinalizeUploadBody {
  return { external_reference: 'ref-1', document_id: '01890000-0000-7000-8000-00000000000d' };
}
