import { type EndpointId, type EventId, newId } from '@supplier/lib/text/ids';
import { START, testLog } from '../../testing/test-service.ts';
import { interrupted } from '../model/attempt.ts';
import { logOutcome, logRecovery } from './engine.ts';

const endpointId = newId<EndpointId>();
const eventId = newId<EventId>();
const attempt = { eventId, endpointId, number: 8, startedAt: START, keyFingerprint: '00000000' };

describe('delivery log', () => {
  it('warns once about an event whose last attempt failed, with its endpoint', () => {
    const { log, lines } = testLog();
    const last = interrupted(attempt, START, () => 0.5);
    logOutcome(log, last, true);
    logOutcome(log, last, false);
    const fields = { level: 'warn', endpoint_id: endpointId, event_id: eventId, attempt: 8 };
    expect(lines).toMatchObject([
      { ...fields, msg: 'delivery exhausted' },
      { ...fields, msg: 'attempt already closed' },
    ]);
  });

  it('reports when an endpoint works again, and how long it was failing', () => {
    const { log, lines } = testLog();
    const recoveredAt = new Date(START.getTime() + 4_000_000);
    logRecovery(log, { endpointId, failingSince: START, recoveredAt });
    expect(lines).toMatchObject([{ level: 'info', endpoint_id: endpointId, duration_ms: 4_000_000 }]);
  });
});
