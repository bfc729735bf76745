/**
 * Descriptions of all fields outside an enquiry, by public name: a name has the same meaning everywhere. Enquiry fields
 * are described where they are defined, in enquiry/fields.ts.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Submission
  external_reference: 'Your own reference. It names one submission of your account and environment for ever.',
  level: 'What the enquiry asks for. It never changes.',
  // Operations on a submission
  operation_idempotency_key:
    'Your key for this one operation. Repeat it, with the same body, when no answer came.',
  expected_revision: 'The number of corrections you know of: 0 before the first one.',
  // Responses
  environment: 'The environment that the submission belongs to.',
  submission_id: 'The id that the service gave the submission.',
  status: 'Where the submission stands.',
  received_at: 'When the submission was recorded.',
  decided_at: 'When the commercial decision was made; null until then.',
  application_reference: 'The reference of the Application; null until there is one.',
  application_created_at: 'When the Application was created; null until then.',
  billing: 'Whether the lead is charged for.',
  billing_status: 'Pending until it is known whether the lead is billable.',
  billable_at: 'When the lead became billable; null while it is not.',
  billing_model: 'The event that makes a lead billable under your terms.',
  not_billable_reason: 'Why the lead is not billable; null while it is, or may yet be.',
  handoff: 'The link into the customer journey. Present while it can be used.',
  customer_journey_url: 'Where to send the customer. Treat it as a secret: anyone who has it can use it.',
  expires_at: 'When the link stops working.',
  single_use: 'Always true: the link works once.',
  arrival_screen_url:
    'Where to send the applicant at once. Only in the answer to a create; a secret like any link.',
  return: 'Why and when the lead was returned. Present exactly while the status is returned.',
  reason_category: 'The reason, as a category.',
  reason_category_version: 'The version of the list of categories.',
  returned_at: 'When the lead was returned.',
  // Documents
  filename: 'The name of the file, with its extension.',
  content_type:
    'The media type of the file. Case does not matter, and `text/csv` may carry `charset=utf-8`. Send the file with this content type, exactly as you wrote it here.',
  byte_size: 'The exact size of the file in bytes.',
  category: 'What the document is.',
  document_id: 'The id that the service gave the document.',
  upload_url: 'Where to PUT the bytes of the file. It works for a short time, for this one file.',
  scan_status: 'What the search for malware found.',
  // Errors
  error: 'What went wrong.',
  code: 'What kind of error this is. Programs decide by it.',
  message: 'The error in plain English. It can change at any time and never repeats a value you sent.',
  details: 'What a program can use to recover, where the code has it.',
  path: 'The field, dotted: home_address.postcode, contact_expectation.channels.0.',
  max_bytes: 'The most bytes that are accepted.',
  current_revision: 'The number of corrections that were applied so far.',
  // Webhooks
  id: 'The id of the event, the same in every attempt. Deduplicate on it.',
  type: 'The kind of event. Acknowledge and ignore kinds that you do not know.',
  occurred_at: 'When the change happened. The event with the latest time holds the current state.',
  data: 'The submission as it was at that time: the whole state, not a difference.',
};
