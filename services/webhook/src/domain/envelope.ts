import type { EventId } from '@supplier/lib/ids';
import type { StatusObject } from '@supplier/lib/status-object';

/**
 * The raw body of an event: compact JSON with a fixed order of keys, to be frozen as it is. `occurredAt` is already
 * written as the contract writes timestamps; `type` differs only for what is no event. Implements docs/contract.md,
 * section 7.
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
