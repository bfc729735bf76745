import { create, type Message } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type Attempt,
  AttemptSchema,
  DeliveryState,
  type Endpoint,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import type { Related } from '../output/write-answer.ts';
import type { Caller } from './caller.ts';

/** Enough to find an event that has been attempted. */
const LATEST = 50;
const states = [DeliveryState.PENDING, DeliveryState.EXHAUSTED, DeliveryState.EXPIRED];

/** Returns the last failed attempt of a failing endpoint, which says why it is failing. */
export async function lastFailedAttempt(
  answer: Message,
  caller: Pick<Caller, 'unary'>,
): Promise<Related | undefined> {
  const { accountId, environment, failingSince } = answer as Endpoint;
  if (!failingSince) return undefined;
  const { listEndpointEvents } = WebhookService.method;
  const request = create(listEndpointEvents.input, { accountId, environment, states, pageSize: LATEST });
  const { events } = await caller.unary(listEndpointEvents, request);
  const message = events
    .flatMap(({ attempts }) => attempts)
    .filter(({ endedAt, errorClass }) => endedAt && errorClass !== '')
    .toSorted((one, other) => endedMs(one) - endedMs(other))
    .at(-1);
  return message && { name: 'last_failed_attempt', schema: AttemptSchema, message };
}

const endedMs = ({ endedAt }: Attempt) => (endedAt ? timestampMs(endedAt) : 0);
