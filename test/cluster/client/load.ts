import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEnquiry } from '../../../deploy/local/demonstration/sample-enquiry.ts';
import { percentile } from '../../bench/statistics.ts';

const PATH = '/v1/supplier-submissions';
const ANSWER_MS = 30_000;
const MOST_FAILURES = 200;
/** The maximum attempts for a create that gets a 503, or whose connection was closed. */
const MOST_TIMES = 3;

export interface LoadOrder {
  readonly perSecond: number;
  /** Size of the connection pool; every other create opens a new connection. */
  readonly keptAlive: number;
}

export interface LoadReport {
  readonly sent: number;
  readonly failed: number;
  /** Succeeded on a retry, as suppliers are asked to: after a 503, or when a kept-alive connection had been closed. */
  readonly sentAgain: number;
  /** The first 200 failures: when, on which kind of connection, and why. */
  readonly failures: readonly string[];
  /** Milliseconds from when each was due to its answer: p50, p99, max. */
  readonly within: readonly [number, number, number];
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Set when it should be retried. */
  readonly retryAfterSeconds: number | undefined;
}

export interface Load {
  /** Resolves when every create is answered. */
  stop(): Promise<LoadReport>;
}

/** Creates submissions at a steady pace, and adds their submission ids to `created`. */
export function startLoad(origin: string, credential: string, order: LoadOrder, created: string[]): Load {
  const { perSecond, keptAlive } = order;
  const agent = new Agent({ keepAlive: true, maxSockets: keptAlive });
  const failures: string[] = [];
  const latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  let [sent, failed, sentAgain, stopping] = [0, 0, 0, false];
  const startedAt = performance.now();

  const create = async (number: number, due: number) => {
    const enquiry = { ...sampleEnquiry(), attribution: { source: 'cluster' } };
    const kept = number % 2 === 0;
    try {
      const body = JSON.stringify(enquiry);
      const { status, text, times } = await postWithRetries(origin, credential, body, kept ? agent : false);
      // A retry of a create that had succeeded gets 200.
      if (status !== 202 && !(status === 200 && times > 1))
        throw new Error(`${status} ${text.slice(0, 200)}`);
      if (times > 1) sentAgain += 1;
      created.push((JSON.parse(text) as { submission_id: string }).submission_id);
    } catch (error) {
      failed += 1;
      const at = ((performance.now() - startedAt) / 1_000).toFixed(2);
      const reason = error instanceof Error ? error.message : String(error);
      if (failures.length < MOST_FAILURES)
        failures.push(`${at} s, ${kept ? 'a kept connection' : 'a new connection'}: ${reason}`);
    } finally {
      latencies.push(performance.now() - due);
    }
  };
  const going = (async () => {
    while (!stopping) {
      const due = startedAt + (sent * 1_000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await pause(early);
      const promise = create(sent, due).finally(() => underWay.delete(promise));
      underWay.add(promise);
      sent += 1;
    }
  })();
  return {
    async stop() {
      stopping = true;
      await going;
      await Promise.all(underWay);
      agent.destroy();
      latencies.sort((a, b) => a - b);
      const within = (part: number) => percentile(latencies, part);
      return { sent, failed, sentAgain, failures, within: [within(0.5), within(0.99), within(1)] };
    },
  };
}

async function postWithRetries(...order: Parameters<typeof post>) {
  for (let times = 1; ; times += 1) {
    const { retryAfterSeconds, ...answer } = await post(...order);
    if (retryAfterSeconds === undefined || times === MOST_TIMES) return { ...answer, times };
    await pause(retryAfterSeconds * 1_000);
  }
}

function post(origin: string, credential: string, body: string, agent: Agent | false) {
  return new Promise<Answer>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request(`${origin}${PATH}`, { method: 'POST', agent, headers, signal }, (answer) => {
      const seconds = answer.statusCode === 503 ? answer.headers['retry-after'] : undefined;
      const retryAfterSeconds = seconds === undefined ? undefined : Number(seconds);
      readText(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, text, retryAfterSeconds }),
        reject,
      );
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (!asked.reusedSocket || error.code !== 'ECONNRESET') return reject(error);
      resolve({ status: 0, text: error.message, retryAfterSeconds: 0 });
    });
    asked.end(body);
  });
}
