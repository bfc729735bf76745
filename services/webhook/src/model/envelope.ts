import type { EventId } from '@supplier/lib/text/ids';
import type { StatusObject } from '@supplier/lib/text/status-object';

/**
 * The raw body of an event: compact JSON with a fixed order of keys, to be frozen as it is. `occurredAt` already has
 * the contract's format; `type` differs only for messages that are not events. Implements docs/contract.md, section 7.
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

/** A body without its link into the customer journey, otherwise unchanged; undefined for one without a link. */
export function withoutLink(body: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const envelope: { data?: { handoff?: unknown } } = JSON.parse(Buffer.from(body).toString('utf8'));
  if (envelope.data?.handoff === undefined) return undefined;
  delete envelope.data.handoff;
  return new Uint8Array(Buffer.from(JSON.stringify(envelope)));
}
