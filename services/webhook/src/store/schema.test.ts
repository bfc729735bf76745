import { forAllTests } from '@supplier/lib/testing';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

describe('webhook database', () => {
  it.each([
    [`attempt_count = 9`, 'event_attempts_bounded'],
    [`next_attempt_at = NULL`, 'event_waits_or_is_leased'],
    [`lease_until = now()`, 'event_waits_or_is_leased'],
    [`state = 'delivered', settled_at = now()`, 'event_waits_or_is_leased'],
    [`state = 'delivered', next_attempt_at = NULL`, 'event_settled_once'],
    [`state = 'superseded', next_attempt_at = NULL, settled_at = now()`, 'event_superseded_by_one'],
    [
      `state = 'superseded', superseded_by = id, attempt_count = 1, next_attempt_at = NULL, settled_at = now()`,
      'event_superseded_unattempted',
    ],
    [`sealed_body = NULL`, 'event_whole_unless_dropped'],
    [`endpoint_id = NULL`, 'event_whole_unless_dropped'],
  ])('rejects an inconsistent event: %s', async (assignments, constraint) => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: START });
    await consume(service.context, change);
    const statement = `UPDATE event SET ${assignments} WHERE id = '${change.eventId}'`;
    await expect(service.pool.query(statement)).rejects.toThrow(constraint);
  });

  it('rejects a ninth attempt and a second one with the same number', async () => {
    const { accountId } = await service.createEndpoint();
    const { eventId, ...change } = statusChanged({ accountId, occurredAt: START });
    await consume(service.context, change);
    const attempt = (number: number) =>
      service.db.attempt.create({ data: { eventId, number, startedAt: START, keyFingerprint: '00000000' } });
    await attempt(1);
    await expect(attempt(1)).rejects.toThrow(/[Uu]nique/);
    await expect(attempt(9)).rejects.toThrow('attempt_number_bounded');
    await expect(attempt(0)).rejects.toThrow('attempt_number_bounded');
  });

  it('rejects a second open interval of activity, and one that ends before it begins', async () => {
    const { endpointId } = await service.createEndpoint();
    const later = new Date(START.getTime() + 1);
    await expect(
      service.db.endpointActivity.create({ data: { endpointId, activeFrom: later } }),
    ).rejects.toThrow(/[Uu]nique/);
    await expect(
      service.db.endpointActivity.create({ data: { endpointId, activeFrom: later, activeUntil: START } }),
    ).rejects.toThrow('endpoint_activity_forward');
  });

  it.each(['UPDATE audit_entry SET actor = actor', 'DELETE FROM audit_entry', 'TRUNCATE audit_entry'])(
    'rejects changes to the audit log: %s',
    async (statement) => {
      await expect(service.pool.query(statement)).rejects.toThrow(/only ever added/);
    },
  );
});
