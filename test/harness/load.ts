import { type Body, enquiry } from './enquiries.ts';
import type { Answer } from './http.ts';
import { submissionOf } from './responses.ts';
import type { StatusObject } from './schemas.ts';
import type { SupplierApi } from './suppliers.ts';
import { timed } from './timing.ts';
import { NotYet, waitFor } from './wait.ts';

const LARGEST_LOAD = 5_000;
const PACE_MS = 50;
const RETRY_MS = 120_000;

/** The history of one create: every response until it was accepted, and the slowest. */
export interface Story {
  readonly body: Body;
  /** The status of each attempt; 0 if the connection was refused, -1 if it broke. */
  readonly statuses: number[];
  readonly slowestMs: number;
  readonly submission: StatusObject;
}

export interface Load {
  /** Returns the number of creates accepted so far. Throws once the load has failed. */
  taken(): number;
  /** Stops sending new creates, waits until each one is accepted, and returns their histories. */
  stop(): Promise<Story[]>;
}

/**
 * Sends creates of new customers from `senders` concurrent senders, each of which waits for its create to be accepted
 * before it sends the next. As the guides advise suppliers, it sends the same body again on 503 or without a response.
 * Any other refusal fails the load.
 */
export function startLoad(api: SupplierApi, senders = 6): Load {
  let running = true;
  const stories: Story[] = [];
  const send = async (): Promise<void> => {
    while (running && stories.length < LARGEST_LOAD) {
      stories.push(await storyOf(api));
      await pause();
    }
  };
  let failure: unknown;
  const done = Promise.all(Array.from({ length: senders }, send));
  // The caller that awaits the load gets its failure; until then it must not count as an unhandled rejection.
  done.catch((error: unknown) => {
    failure = error;
  });
  return {
    taken: () => {
      if (failure !== undefined) throw failure;
      return stories.length;
    },
    stop: async () => {
      running = false;
      await done;
      return stories;
    },
  };
}

/** Waits until at least `more` further creates have been accepted. */
export function moreTaken(load: Load, more: number): Promise<void> {
  const goal = load.taken() + more;
  return waitFor(
    `${more} more accepted creates`,
    async () => {
      if (load.taken() < goal) throw new NotYet(`${goal - load.taken()} are missing`);
    },
    { withinMs: RETRY_MS },
  );
}

async function storyOf(api: SupplierApi): Promise<Story> {
  const body = enquiry();
  const statuses: number[] = [];
  let slowestMs = 0;
  const submission = await waitFor(
    'an accepted create',
    async () => {
      const { answer, ms } = await timed(() => answerOrNone(api, body));
      slowestMs = Math.max(slowestMs, ms);
      statuses.push(typeof answer === 'string' ? (answer === REFUSED ? 0 : -1) : answer.status);
      if (typeof answer === 'string') throw new NotYet(answer);
      if (answer.status === 503) throw new NotYet(answer.text);
      return submissionOf(answer, answer.status === 200 ? 200 : 202);
    },
    { withinMs: RETRY_MS },
  );
  return { body, statuses, slowestMs, submission };
}

const REFUSED = 'ECONNREFUSED';
const BROKEN = [REFUSED, 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Returns the response, or why there was none. */
async function answerOrNone(api: SupplierApi, body: Body): Promise<Answer | string> {
  try {
    return await api.create(body);
  } catch (error) {
    const code = codeOf(error);
    if (BROKEN.includes(code)) return code;
    throw error;
  }
}

// Node's own errors come from outside the test's realm, where `instanceof Error` is false.
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PACE_MS);
  });
