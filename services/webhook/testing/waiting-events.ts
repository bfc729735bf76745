import type { AccountId, EndpointId, EventId } from '@supplier/lib/ids';
import { recordDue } from './test-engine.ts';
import type { TestService } from './test-service.ts';

type Of = { accountId: AccountId; endpointId: EndpointId };

/** Records one event of the endpoint at `recordedAt`, whatever the time is, that waits for its next attempt. */
export async function recordWaiting(service: TestService, of: Of, recordedAt: Date): Promise<EventId> {
  const [eventId] = await recordDue(service, of, 1, recordedAt);
  if (!eventId) throw new Error('one event was recorded');
  return eventId;
}
