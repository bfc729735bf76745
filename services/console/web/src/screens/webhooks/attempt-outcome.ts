import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Attempt, DeliveryState, type Event } from '@supplier/proto/webhook/v1/webhook';

/** An attempt that was requested: of an event that was just recorded, or of one that was pending. */
export interface RequestedAttempt {
  readonly submissionId: string;
  readonly eventId: string;
  readonly number: number;
}

/** What became of a requested attempt. */
export type Outcome =
  | { readonly result: 'delivered'; readonly attempt: Attempt | undefined }
  | { readonly result: 'failed'; readonly attempt: Attempt; readonly nextAttemptAt: Timestamp | undefined }
  /** It was not made: the event ended otherwise. */
  | { readonly result: 'ended'; readonly state: DeliveryState }
  /** It has not ended yet: earlier events of the endpoint may come first. */
  | { readonly result: 'waiting' };

/** Returns what the events of a submission say about a requested attempt. */
export function outcomeIn(events: readonly Event[], { eventId, number }: RequestedAttempt): Outcome {
  // A new event is recorded shortly after it was requested.
  const event = events.find((one) => one.eventId === eventId);
  if (!event) return { result: 'waiting' };
  const attempt = event.attempts.find((one) => one.number === number && one.endedAt !== undefined);
  if (event.state === DeliveryState.DELIVERED) return { result: 'delivered', attempt };
  if (attempt) return { result: 'failed', attempt, nextAttemptAt: event.nextAttemptAt };
  return event.state === DeliveryState.PENDING
    ? { result: 'waiting' }
    : { result: 'ended', state: event.state };
}

/** An attempt takes at most ten seconds. */
const LOOKS = 24;

/** Returns what became of a requested attempt, once it has ended, or after the last look. */
export async function outcomeOf(
  requested: RequestedAttempt,
  list: (submissionId: string) => Promise<readonly Event[]>,
  pause: () => Promise<unknown>,
): Promise<Outcome> {
  for (let look = 1; ; look += 1) {
    const outcome = outcomeIn(await list(requested.submissionId), requested);
    if (outcome.result !== 'waiting' || look === LOOKS) return outcome;
    await pause();
  }
}
