import type { EventId, SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import type { Restatement, SubmissionOwner, SubmissionQueries } from '../src/submission-client.ts';
import { consume, statusChanged } from './status-changes.ts';
import type { TestService } from './test-service.ts';

/** A fake submission service that knows owners, and whose restatements arrive immediately. */
export interface FakeSubmissions extends Pick<SubmissionQueries, 'ownerOf' | 'restate'> {
  readonly owners: Map<SubmissionId, SubmissionOwner>;
  /** Restated submissions, in order. */
  readonly restated: {
    readonly submissionId: SubmissionId;
    readonly eventId: EventId;
    readonly reason: string;
    /** The requesting person. */
    readonly by: string | undefined;
  }[];
  /** Called before a restatement; throw to simulate an outage. */
  before: (submissionId: SubmissionId) => Promise<void>;
  /** Called after the event has arrived; throw to simulate a lost response. */
  after: (submissionId: SubmissionId) => Promise<void>;
}

export function fakeSubmissions(service: TestService): FakeSubmissions {
  const latest = new Map<SubmissionId, number>();
  const answers = new Map<string, Restatement>();
  const fake: FakeSubmissions = {
    owners: new Map(),
    restated: [],
    before: async () => {},
    after: async () => {},
    ownerOf: async (submissionId) => fake.owners.get(submissionId),
    async restate(submissionId, reason, by, key): Promise<Restatement | undefined> {
      const owner = fake.owners.get(submissionId);
      if (!owner) return undefined;
      await fake.before(submissionId);
      const answered = key && answers.get(`${key} ${submissionId}`);
      if (answered) return answered;
      const time = Math.max(service.clock.now().getTime(), (latest.get(submissionId) ?? 0) + 1);
      latest.set(submissionId, time);
      const change = statusChanged({
        accountId: owner.accountId,
        submissionId,
        environment: owner.environment === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION,
        occurredAt: new Date(time),
        change: reason === 'test' ? StatusChange.TEST : StatusChange.REDELIVERY,
      });
      fake.restated.push({ submissionId, eventId: change.eventId, reason, by: by?.actor });
      const answer = { eventId: change.eventId, occurredAt: new Date(time) };
      if (key) answers.set(`${key} ${submissionId}`, answer);
      await consume(service.context, change);
      await fake.after(submissionId);
      return answer;
    },
  };
  return fake;
}

/** Ends the delivery of a recorded event without success, like the eighth failure or a long pause. */
export async function endUndelivered(
  service: TestService,
  eventId: EventId,
  state: 'exhausted' | 'expired',
  settledAt: Date,
): Promise<void> {
  await service.db.event.update({
    where: { id: eventId },
    data: {
      state,
      settledAt,
      nextAttemptAt: null,
      leaseUntil: null,
      attemptCount: state === 'exhausted' ? 8 : 0,
    },
  });
}
