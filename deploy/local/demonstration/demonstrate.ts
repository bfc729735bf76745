import { residentBytes } from '../memory.ts';
import { formatDuration, type Terminal } from '../terminal.ts';
import { showDocument } from './document-job.ts';
import { showMainJob } from './main-job.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import { awaitWebhook, type Stage, stepsOn } from './stage.ts';
import { parseJson, viewStatus } from './status-view.ts';

const SAMPLES = 20;
const WITHIN_MS = 30_000;
const MIB = 1024 * 1024;

/**
 * Shows the main job and a document, then what was measured on the way. Resolves to whether every step passed.
 */
export async function demonstrate(stage: Stage, readyMs: number, terminal: Terminal): Promise<boolean> {
  const show = stepsOn(terminal);
  if (!((await showMainJob(stage, show)) && (await showDocument(stage, show)))) return false;
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) times.push(await webhookLatency(stage));
  const figure = (name: string, value: string) => terminal.say(`  ${name.padEnd(44)} ${value.padStart(9)}`);
  terminal.say('');
  figure('ready after', formatDuration(readyMs));
  figure(`enquiry to verified webhook, p50 of ${SAMPLES}`, formatDuration(median(times)));
  figure('memory of the whole stack', `${Math.round(residentBytes(process.pid) / MIB)} MiB`);
  return true;
}

/**
 * Returns the milliseconds from an enquiry to its first verified webhook, on an idle system; infinite if none arrives.
 */
async function webhookLatency(stage: Stage): Promise<number> {
  const since = new Date();
  const created = await stage.client.create(sampleEnquiry());
  const { submissionId } = viewStatus(parseJson(created.text));
  if (created.status !== 202 || submissionId === undefined) return Number.POSITIVE_INFINITY;
  const about = { submissionId, since, withinMs: WITHIN_MS };
  const first = await awaitWebhook(stage, about, () => true);
  // The next sample must start on an idle system.
  await awaitWebhook(stage, about, ({ billingStatus }) => billingStatus === 'billable');
  return first ? Date.parse(first.receivedAt) - since.getTime() : Number.POSITIVE_INFINITY;
}

/** Returns the median, the lower of the two middle values; NaN without values. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
