/**
 * Descriptions of all fields outside an enquiry, by public name: a name has the same meaning everywhere. Enquiry fields
 * are described where they are defined, in enquiry/fields.ts.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Submission
  external_reference:
    'Your reference. It permanently identifies one submission in your account and environment.',
  level: 'The level of the enquiry. It never changes.',
  // Operations on a submission
  operation_idempotency_key:
    "Your key for this operation. If you don't get a response, send the same key and body again.",
  expected_revision: 'The number of corrections that you know of: 0 before the first one.',
  // Responses
  environment: 'The environment that the submission belongs to.',
  submission_id: 'Our id for the submission.',
  status: 'The status of the submission.',
  received_at: 'When we recorded the submission.',
  decided_at: 'When we made the commercial decision; null until then.',
  application_reference: 'The reference of the Application; null until there is one.',
  application_created_at: 'When the Application was created; null until then.',
  billing: 'The billing of the submission.',
  billing_status: 'Pending until we know whether the submission is billable.',
  billable_at: 'When the submission became billable; null if it is not.',
  billing_model: 'The event that makes a submission billable under your terms.',
  not_billable_reason: 'Why the submission is not billable; null if it is billable or pending.',
  handoff: 'The link to the customer journey. Present while it works.',
  customer_journey_url:
    'Where to send the customer. Treat it as a secret, because anyone who has it can use it.',
  expires_at: 'When the link stops working.',
  single_use: 'Always true: the link works once.',
  arrival_screen_url:
    'Redirect the applicant here immediately. Only in responses to a create. Treat it as a secret.',
  return: 'Why and when we returned the submission. Present only if the status is returned.',
  reason_category: 'The reason, as a category.',
  reason_category_version: 'The version of the list of categories.',
  returned_at: 'When we returned the submission.',
  // Documents
  filename: 'The name of the file, with its extension.',
  content_type:
    'The media type of the file. Case does not matter, and `text/csv` may carry `charset=utf-8`. Send the file with this content type, exactly as you wrote it here.',
  byte_size: 'The exact size of the file in bytes.',
  category: 'The kind of document.',
  document_id: 'Our id for the document.',
  upload_url: 'Where to PUT the file. The URL works for a short time, for this file only.',
  scan_status: 'The result of the malware scan.',
  // Errors
  error: 'The error.',
  code: 'The error code, for your program to act on.',
  message: 'The error in plain English. It can change at any time and never repeats a value you sent.',
  details: 'Data that helps a program recover. Only with some codes.',
  path: 'The field, dotted: home_address.postcode, contact_expectation.channels.0.',
  max_bytes: 'The maximum number of bytes.',
  current_revision: 'The number of corrections applied so far.',
  // Webhooks
  id: 'The id of the event, the same in every attempt. Deduplicate on it.',
  type: 'The type of event. Acknowledge and ignore types that you do not know.',
  occurred_at: 'When the change happened. The event with the latest time holds the current state.',
  data: 'The whole state of the submission at that time.',
};
