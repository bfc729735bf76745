import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEnquiry } from '../../deploy/local/demonstration/sample-enquiry.ts';
import { parseJson, viewStatus } from '../../deploy/local/demonstration/status-view.ts';
import type { Answer, SupplierClient } from '../../deploy/local/demonstration/supplier-client.ts';
import { waitUntil } from '../../deploy/local/wait-until.ts';

const RETRY_MS = 200;
const LARGEST_LOAD = 20_000;
/** The pause of a sender between two submissions, which leaves the machine capacity for everything else. */
const PACE_MS = 60;

/** One submission as its supplier knows it. */
export interface SentSubmission {
  readonly reference: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, of the first attempt. */
  readonly sentAt: number;
  /** The status of each attempt; 0 if there was no response. */
  readonly statuses: number[];
  /** Set once it was accepted. */
  taken?: { readonly submissionId: string; readonly at: number };
}

export interface Load {
  /** In the order of their first attempts. */
  readonly submissions: readonly SentSubmission[];
  taken(): number;
  /** Waits until `count` more submissions have been accepted. Throws after `withinMs`. */
  more(count: number, withinMs?: number): Promise<void>;
  /** Stops sending new submissions; resolves when every submission has been accepted. */
  finish(): Promise<void>;
  /** Stops sending immediately, including retries. */
  abandon(): Promise<void>;
}

/**
 * Sends submissions of new customers from `senders` concurrent senders. Each waits until its submission is accepted before it
 * sends the next. On 503 or without a response it sends the same body again, as the guides advise suppliers.
 * `more` and `finish` throw on any other refusal.
 */
export function startLoad(client: SupplierClient, senders: number): Load {
  const submissions: SentSubmission[] = [];
  const finishing = new AbortController();
  const abandoned = new AbortController();
  let failure: unknown;
  const taken = () => submissions.filter((submission) => submission.taken !== undefined).length;
  const send = async () => {
    while (!finishing.signal.aborted && submissions.length < LARGEST_LOAD) {
      const submission = newSubmission();
      submissions.push(submission);
      while (!submission.taken && !abandoned.signal.aborted)
        if (!(await tryOnce(client, submission))) await pause(RETRY_MS);
      await pause(PACE_MS);
    }
  };
  const done = Promise.all(Array.from({ length: senders }, send));
  done.catch((error: unknown) => {
    failure = error;
  });
  return {
    submissions,
    taken,
    async more(count, withinMs = 120_000) {
      const goal = taken() + count;
      const reached = await waitUntil(() => (failure ? true : taken() >= goal || undefined), {
        withinMs,
        everyMs: 20,
      });
      if (failure) throw failure;
      if (reached) return;
      const last = submissions
        .filter((submission) => !submission.taken)
        .map(({ statuses }) => statuses.at(-1) ?? 'nothing');
      throw new Error(
        `the load has stalled: ${goal - taken()} of ${count} leads were not accepted; last responses: ${last.join(', ')}`,
      );
    },
    async finish() {
      finishing.abort();
      await done;
    },
    async abandon() {
      finishing.abort();
      abandoned.abort();
      await done;
    },
  };
}

/**
 * The name of every applicant of a drill, used for nothing else: wherever it appears in clear, so does personal data.
 */
export const APPLICANTS_NAME = Array.from(randomBytes(20), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join(
  '',
);

/** Returns an unsent submission of a customer that matches no other. */
export function newSubmission(): SentSubmission {
  const reference = randomUUID();
  const body = {
    ...sampleEnquiry(),
    external_reference: `drill-${reference}`,
    first_name: `Ada ${APPLICANTS_NAME}`,
    last_name: APPLICANTS_NAME,
    email: `${APPLICANTS_NAME}.${reference.slice(0, 8)}@example.com`,
    business_name: `${APPLICANTS_NAME} Ltd`,
  };
  return { reference: body.external_reference, body, sentAt: Date.now(), statuses: [] };
}

/** Sends a submission once; resolves to whether it was accepted. Throws on a refusal that a retry can't fix. */
export async function tryOnce(client: SupplierClient, submission: SentSubmission): Promise<boolean> {
  const answer = await answerOf(() => client.create(submission.body));
  submission.statuses.push(answer.status);
  if (answer.status !== 200 && answer.status !== 202) {
    if (answer.status === 0 || answer.status === 503) return false;
    throw new Error(`a create returned ${answer.status}: ${answer.text}`);
  }
  const { submissionId } = viewStatus(parseJson(answer.text));
  if (submissionId === undefined) throw new Error(`a create returned no id: ${answer.text}`);
  submission.taken = { submissionId, at: Date.now() };
  return true;
}

/** Returns the response; status 0 if there was none. */
export async function answerOf(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch {
    return { status: 0, text: '' };
  }
}
