import type { EventId } from '@supplier/lib/text/ids';
import type { StatusObject } from '@supplier/lib/text/status-object';

/**
 * Builds the raw body of an event, to be frozen: compact JSON with a fixed order of keys. `occurredAt` already has the
 * contract's format; `type` differs only for messages that are not events. Implements docs/contract.md, section 7.
 */
export function envelopeBytes(
  id: EventId,
  occurredAt: string,
  data: StatusObject,
  type = 'submission.status_changed',
): Uint8Array<ArrayBuffer> {
  const envelope = { id, type, occurred_at: occurredAt, data };
  return new Uint8Array(Buffer.from(JSON.stringify(envelope)));
}

/** Removes the customer journey link from a body, which is otherwise unchanged; undefined for a body without a link. */
export function withoutLink(body: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const envelope: { data?: { handoff?: unknown } } = JSON.parse(Buffer.from(body).toString('utf8'));
  if (envelope.data?.handoff === undefined) return undefined;
  delete envelope.data.handoff;
  return new Uint8Array(Buffer.from(JSON.stringify(envelope)));
}

/** The key that signs published examples: the prefix and the bytes 0 to 31. It is public, and never an endpoint's. */
export const EXAMPLE_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

/** The state of a fictitious submission, used in published examples and pings. */
export const exampleStatus: StatusObject = {
  environment: 'sandbox',
  submission_id: '00000000-0000-7000-8000-000000000001',
  external_reference: 'example-1',
  level: 'application',
  status: 'accepted',
  received_at: '2026-01-15T09:30:00.000Z',
  decided_at: '2026-01-15T09:30:00.250Z',
  application_reference: 'APP-0000000001',
  application_created_at: '2026-01-15T09:30:00.250Z',
  billing: {
    billing_status: 'not_billable',
    billable_at: null,
    billing_model: 'accepted_submission',
    not_billable_reason: 'sandbox',
  },
};

export function exampleStatusIn(environment: StatusObject['environment']): StatusObject {
  if (environment === 'sandbox') return exampleStatus;
  return {
    ...exampleStatus,
    environment,
    billing: {
      ...exampleStatus.billing,
      billing_status: 'billable',
      billable_at: exampleStatus.decided_at,
      not_billable_reason: null,
    },
  };
}
