import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { DocumentCategory, ScanStatus } from '@supplier/proto/document/v1/document';
import Type from 'typebox';
import { closed, externalReference, oneOf, timestamp, uuid } from '../validation/field-types.ts';

const { Literal, Null, Optional, Union } = Type;

const uri = () => Type.String({ format: 'uri' });
const timeOrNull = () => Union([timestamp(), Null()]);

/** Returns the public names of an enum's values, without UNSPECIFIED. */
function valuesOf(names: Readonly<Record<string, string | number>>): string[] {
  const values = Object.entries(names).filter(([, value]) => typeof value === 'number' && value !== 0);
  return values.map(([name]) => name.toLowerCase());
}

const statusFields = {
  environment: oneOf(valuesOf(Environment)),
  submission_id: uuid(),
  external_reference: externalReference(),
  level: oneOf(valuesOf(Level)),
  status: oneOf(valuesOf(Status)),
  received_at: timestamp(),
  decided_at: timeOrNull(),
  application_reference: Union([Type.String(), Null()]),
  application_created_at: timeOrNull(),
  billing: closed({
    billing_status: oneOf(valuesOf(BillingStatus)),
    billable_at: timeOrNull(),
    billing_model: oneOf(valuesOf(BillingModel)),
    not_billable_reason: Union([oneOf(valuesOf(NotBillableReason)), Null()]),
  }),
  handoff: Optional(
    closed({
      customer_journey_url: uri(),
      expires_at: timestamp(),
      single_use: Literal(true),
    }),
  ),
  return: Optional(
    closed({
      reason_category: oneOf(valuesOf(ReturnReasonCategory)),
      reason_category_version: Literal('v1'),
      returned_at: timestamp(),
    }),
  ),
};

/**
 * The status object as written by `renderStatus`, for every operation that returns a submission. Implements
 * docs/contract.md, section 3.
 */
export const submissionStatus = closed(statusFields);

/**
 * The status object with the arrival screen, only for the response to a create at application level. Implements
 * docs/contract.md, section 2.
 */
export const createdSubmission = closed({ ...statusFields, arrival_screen_url: Optional(uri()) });

/** The response to a request for an upload URL. Implements docs/contract.md, section 1. */
export const documentUpload = closed({ document_id: uuid(), upload_url: uri() });

/** A document of a submission. Implements docs/contract.md, section 1. */
export const supplierDocument = closed({
  document_id: uuid(),
  category: oneOf(valuesOf(DocumentCategory)),
  scan_status: oneOf(valuesOf(ScanStatus)),
});

/** The body of a webhook. Implements docs/contract.md, section 7. */
export const webhookEvent = closed({
  id: uuid(),
  type: Literal('submission.status_changed'),
  occurred_at: timestamp(),
  data: submissionStatus,
});
