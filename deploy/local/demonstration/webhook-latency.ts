import type { Stage } from './main-job.ts';
import { awaitWebhook } from './received-webhooks.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import { parseJson, viewStatus } from './status-view.ts';

const WITHIN_MS = 30_000;

/**
 * The times from sending an enquiry to the arrival of its first verified webhook, in milliseconds, shortest first,
 * each measured while nothing else is going on. A webhook that does not come counts as infinitely late.
 */
export async function measureWebhookLatency(stage: Stage, samples: number): Promise<number[]> {
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) times.push(await measureOne(stage));
  return times.sort((a, b) => a - b);
}

async function measureOne({ client, eventsUrl, supplier }: Stage): Promise<number> {
  const since = new Date();
  const created = await client.create(sampleEnquiry());
  const { submissionId } = viewStatus(parseJson(created.text));
  if (created.status !== 202 || submissionId === undefined) return Number.POSITIVE_INFINITY;
  const options = { eventsUrl, supplier, since, submissionId, withinMs: WITHIN_MS };
  const first = await awaitWebhook({ ...options, wanted: () => true });
  // The next sample begins when this one is settled, so that each is measured on an idle system.
  await awaitWebhook({ ...options, wanted: ({ billingStatus }) => billingStatus === 'billable' });
  return first ? Date.parse(first.event.receivedAt) - since.getTime() : Number.POSITIVE_INFINITY;
}

/** The middle one of sorted values; not a number when there are none. */
export function median(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
