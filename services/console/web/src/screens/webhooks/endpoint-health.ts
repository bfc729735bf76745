import { type Timestamp, timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Attempt,
  DeliveryState,
  type Event,
  type ListedEndpoint,
} from '@supplier/proto/webhook/v1/webhook';
import { formatShare } from '../../format.ts';

/** The states of events whose delivery failed. */
export const FAILED_STATES: readonly DeliveryState[] = [DeliveryState.EXHAUSTED, DeliveryState.EXPIRED];

/** The states of events that did not arrive, or not yet. */
export const UNDELIVERED_STATES: readonly DeliveryState[] = [DeliveryState.PENDING, ...FAILED_STATES];

/** Returns whether the delivery failed and was not repeated. */
export const isUndelivered = ({ state, redeliveredAs }: Event): boolean =>
  FAILED_STATES.includes(state) && redeliveredAs === '';

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** How long before now health is about. */
export const HEALTH_MS = HOURS * HOUR_MS;
/** Maximum page size of the service. */
export const LATEST = 200;
/** The service counts pending events up to this number. */
const MAX_PENDING = 100;

/** Attempts that started in an hour. */
interface Hour {
  readonly startsAt: Timestamp;
  readonly succeeded: number;
  readonly failed: number;
}

/** How the deliveries of an endpoint went in the last 24 hours: of its latest 200 events. */
export interface EndpointHealth {
  readonly attempts: number;
  readonly failed: number;
  readonly lastSuccess: Timestamp | undefined;
  readonly failedEvents: number;
  /** Whether the 24 hours have more events than these. */
  readonly isCut: boolean;
  /** Oldest first. */
  readonly hours: readonly Hour[];
}

/** Returns the health of an endpoint from its events. */
export function healthOf(events: readonly Event[], now: number): Omit<EndpointHealth, 'isCut'> {
  const ended = events.flatMap(({ attempts }) => attempts).filter(({ endedAt }) => endedAt !== undefined);
  const succeeded = ended.filter((attempt) => !isFailed(attempt));
  const firstHour = Math.floor(now / HOUR_MS) - HOURS + 1;
  return {
    attempts: ended.length,
    failed: ended.length - succeeded.length,
    lastSuccess: succeeded
      .map(({ endedAt }) => endedAt)
      .toSorted((one, other) => msOf(one) - msOf(other))
      .at(-1),
    failedEvents: events.filter(isUndelivered).length,
    hours: Array.from({ length: HOURS }, (_, place) => {
      const hour = firstHour + place;
      const within = ended.filter(({ startedAt }) => Math.floor(msOf(startedAt) / HOUR_MS) === hour);
      const failed = within.filter(isFailed).length;
      return { startsAt: timestampFromMs(hour * HOUR_MS), succeeded: within.length - failed, failed };
    }),
  };
}

/** Returns the latest failed attempt of some events. */
export const lastFailureOf = (events: readonly Event[]): Attempt | undefined =>
  events
    .flatMap(({ attempts }) => attempts)
    .filter((attempt) => attempt.endedAt !== undefined && isFailed(attempt))
    .toSorted((one, other) => msOf(one.endedAt) - msOf(other.endedAt))
    .at(-1);

/** Returns the events of an endpoint that did not arrive, or not yet: those that have been attempted first. */
export const undeliveredOf = (events: readonly Event[]): readonly Event[] =>
  events
    .filter((event) => event.state === DeliveryState.PENDING || isUndelivered(event))
    .toSorted((one, other) => Math.min(other.attempts.length, 1) - Math.min(one.attempts.length, 1));

/** Formats the share of attempts that failed. */
export function rateOf({ attempts, failed, isCut }: EndpointHealth): string {
  const rate =
    attempts === 0
      ? 'No attempts'
      : `${failed} of ${attempts} attempts failed (${formatShare(failed / attempts)})`;
  return isCut ? `${rate}, latest ${LATEST} events` : rate;
}

const isFailed = ({ errorClass }: Attempt) => errorClass !== '';
const msOf = (at: Timestamp | undefined) => (at ? timestampDate(at).getTime() : 0);

/** Returns the number of pending events: "2", "100+". */
export const pendingCountOf = (listed: ListedEndpoint | undefined): string =>
  (listed?.waiting ?? 0) >= MAX_PENDING ? `${MAX_PENDING}+` : String(listed?.waiting ?? 0);

/** Returns the number of pending events in words: "2 pending events", "100+ pending events". */
export const pendingOf = (listed: ListedEndpoint | undefined): string =>
  `${pendingCountOf(listed)} pending ${listed?.waiting === 1 ? 'event' : 'events'}`;
