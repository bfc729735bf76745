import type { AccountId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import { type Absent, type Fault, faultOf, type OnRecord, REPAIRED_BY_RESTATING } from './reconciliation.ts';

const submissionId = '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as SubmissionId;
const other = '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a11' as SubmissionId;
const NOW = new Date('2026-11-20T12:00:00.000Z');
const THEN = new Date('2026-11-20T10:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const change = {
  eventId: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a12' as EventId,
  submissionId,
  accountId: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a13' as AccountId,
  environment: 'sandbox' as const,
  occurredAt: THEN,
  unpublished: false,
};
const record = (facts: Partial<OnRecord>): OnRecord => ({
  submissionId,
  accountId: change.accountId,
  environment: 'sandbox',
  occurredAt: THEN,
  state: 'delivered',
  nextAttemptAt: undefined,
  leaseUntil: undefined,
  activeThen: true,
  endpointTakesEvents: true,
  successor: undefined,
  ...facts,
});
const absent = (facts: Partial<Absent>): Absent => ({
  state: 'absent',
  activeThen: true,
  covered: false,
  ...facts,
});
const superseded = (successor: OnRecord['successor']) => record({ state: 'superseded', successor });
const later = new Date(THEN.getTime() + 1);

it.each<[string, OnRecord | Absent, Fault | undefined]>([
  ['has no event', absent({}), 'missing'],
  ['has no event while no endpoint was active', absent({ activeThen: false }), undefined],
  ['has no event but a later one of its submission', absent({ covered: true }), undefined],
  ['has an event of another submission', record({ submissionId: other }), 'differs'],
  ['has an event of another account', record({ accountId: other as string as AccountId }), 'differs'],
  ['has an event of another environment', record({ environment: 'production' }), 'differs'],
  ['has an event of another time', record({ occurredAt: later }), 'differs'],
  ['was delivered', record({ state: 'delivered' }), undefined],
  ['was abandoned', record({ state: 'exhausted' }), undefined],
  ['waited too long', record({ state: 'expired' }), undefined],
  ['was dropped while no endpoint was active', record({ state: 'dropped', activeThen: false }), undefined],
  ['was dropped while the endpoint was active', record({ state: 'dropped' }), 'dropped_while_active'],
  [
    'was superseded by a later one that was delivered',
    superseded({ submissionId, occurredAt: later, state: 'delivered' }),
    undefined,
  ],
  [
    'was superseded by a later one that is pending',
    superseded({ submissionId, occurredAt: later, state: 'pending' }),
    undefined,
  ],
  [
    'was superseded by one of the same time',
    superseded({ submissionId, occurredAt: THEN, state: 'pending' }),
    undefined,
  ],
  ['was superseded by nothing', superseded(undefined), 'superseded_by_nothing'],
  [
    'was superseded by an earlier one',
    superseded({ submissionId, occurredAt: new Date(THEN.getTime() - 1), state: 'delivered' }),
    'superseded_by_nothing',
  ],
  [
    'was superseded by one of another submission',
    superseded({ submissionId: other, occurredAt: later, state: 'delivered' }),
    'superseded_by_nothing',
  ],
  [
    'was superseded in a cycle',
    superseded({ submissionId, occurredAt: later, state: 'superseded' }),
    'superseded_by_nothing',
  ],
  [
    'was superseded by a dropped one',
    superseded({ submissionId, occurredAt: later, state: 'dropped' }),
    'superseded_by_nothing',
  ],
  ['waits for a later attempt', record({ state: 'pending', nextAttemptAt: ago(-1) }), undefined],
  ['has been due for five minutes', record({ state: 'pending', nextAttemptAt: ago(300_000) }), undefined],
  ['has been due for longer', record({ state: 'pending', nextAttemptAt: ago(300_001) }), 'overdue'],
  [
    'has been due for longer at a disabled endpoint',
    record({ state: 'pending', nextAttemptAt: ago(300_001), endpointTakesEvents: false }),
    undefined,
  ],
  ['is in an attempt', record({ state: 'pending', leaseUntil: ago(-1) }), undefined],
  [
    'is in an attempt whose lease has just expired',
    record({ state: 'pending', leaseUntil: ago(60_000) }),
    undefined,
  ],
  [
    'is in an attempt whose lease expired long ago',
    record({ state: 'pending', leaseUntil: ago(60_001) }),
    'lease_lost',
  ],
  [
    'is in an attempt whose lease expired long ago, at a disabled endpoint',
    record({ state: 'pending', leaseUntil: ago(60_001), endpointTakesEvents: false }),
    'lease_lost',
  ],
])('faultOf classifies a change that %s', (_, found, expected) => {
  expect(faultOf(change, found, NOW)).toBe(expected);
});

it('only faults of a change without its event are repaired by restating the current status', () => {
  expect([...REPAIRED_BY_RESTATING]).toEqual(['missing', 'dropped_while_active', 'superseded_by_nothing']);
});
