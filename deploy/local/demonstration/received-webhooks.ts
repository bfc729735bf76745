import { request } from 'undici';
import type { ReceivedEvent } from '../receiver/receiver.ts';
import { waitUntil } from '../wait-until.ts';
import { field, parseJson, type StatusView, viewStatus } from './status-view.ts';

const POLL_MS = 20;
const ANSWER_MS = 20_000;

/** An event that reached the receiver, with the status that it carries. */
export interface Webhook {
  readonly event: ReceivedEvent;
  readonly status: StatusView;
}

/**
 * Waits for the first verified event of a submission that `wanted` accepts, among those received since a time.
 * Resolves to undefined when none comes within the time, in milliseconds.
 */
export function awaitWebhook(options: {
  readonly eventsUrl: string;
  readonly supplier: string;
  readonly since: Date;
  readonly submissionId: string;
  readonly wanted: (status: StatusView) => boolean;
  readonly withinMs: number;
}): Promise<Webhook | undefined> {
  const { eventsUrl, supplier, since, submissionId, wanted, withinMs } = options;
  const url = `${eventsUrl}?supplier=${supplier}&since=${since.toISOString()}`;
  return waitUntil(
    async () => {
      const webhooks = (await receivedEvents(url)).map((event) => ({
        event,
        status: viewStatus(field(parseJson(event.rawBody), 'data')),
      }));
      return webhooks.find(
        ({ event, status }) => event.verified && status.submissionId === submissionId && wanted(status),
      );
    },
    { withinMs, everyMs: POLL_MS },
  );
}

async function receivedEvents(url: string): Promise<ReceivedEvent[]> {
  const { body } = await request(url, { signal: AbortSignal.timeout(ANSWER_MS) });
  return (await body.json()) as ReceivedEvent[];
}
