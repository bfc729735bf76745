import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEnquiry } from '../../../deploy/local/demonstration/sample-enquiry.ts';
import { reasonOf } from '../../../deploy/local/terminal.ts';
import { percentile } from '../../bench/statistics.ts';

const PATH = '/v1/supplier-submissions';
const ANSWER_MS = 30_000;
/** Size of the connection pool; every other create opens a new connection. */
const KEPT_ALIVE = 20;
const MOST_FAILURES = 10;
/** The maximum attempts for a create that gets a 503, or whose connection was closed. */
const MOST_TIMES = 3;
/** The errors of a kept connection that the server has closed. */
const CLOSED: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE'];

export interface LoadReport {
  readonly sent: number;
  readonly failed: number;
  /** Succeeded on a retry, as suppliers are asked to: after a 503, or when a kept-alive connection had been closed. */
  readonly sentAgain: number;
  /** The first failures: when, on which kind of connection, and why. */
  readonly failures: readonly string[];
  /** Milliseconds from when each was due to its answer: p50, p99, max. */
  readonly within: readonly [number, number, number];
}

export type Load = ReturnType<typeof startLoad>;

/** Creates submissions at a steady pace, and adds their submission ids to `created`. */
export function startLoad(origin: string, credential: string, perSecond: number, created: string[]) {
  const pool = new Agent({ keepAlive: true, maxSockets: KEPT_ALIVE });
  const failures: string[] = [];
  const latencies: number[] = [];
  const creates: Promise<void>[] = [];
  let [sent, failed, sentAgain, stopping] = [0, 0, 0, false];
  const startedAt = performance.now();

  const create = async (number: number, due: number) => {
    const enquiry = { ...sampleEnquiry(), attribution: { source: 'cluster' } };
    const kept = number % 2 === 0;
    try {
      const body = JSON.stringify(enquiry);
      const { status, text, times } = await post(origin, credential, body, kept && pool);
      // A retry of a create that had succeeded gets 200.
      if (status !== 202 && !(status === 200 && times > 1))
        throw new Error(`${status} ${text.slice(0, 200)}`);
      if (times > 1) sentAgain += 1;
      created.push((JSON.parse(text) as { submission_id: string }).submission_id);
    } catch (error) {
      failed += 1;
      const at = ((performance.now() - startedAt) / 1_000).toFixed(2);
      if (failures.length < MOST_FAILURES)
        failures.push(`${at} s, ${kept ? 'a kept connection' : 'a new connection'}: ${reasonOf(error)}`);
    } finally {
      latencies.push(performance.now() - due);
    }
  };
  const going = (async () => {
    while (!stopping) {
      const due = startedAt + (sent * 1_000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await pause(early);
      creates.push(create(sent, due));
      sent += 1;
    }
  })();
  return {
    /** Resolves when every create is answered. */
    async stop(): Promise<LoadReport> {
      stopping = true;
      await going;
      await Promise.all(creates);
      pool.destroy();
      const within = (part: number) => percentile(latencies, part);
      return { sent, failed, sentAgain, failures, within: [within(0.5), within(0.99), within(1)] };
    },
  };
}

/** Posts a create. Repeats it after a 503, or when a reused connection was closed before it was answered. */
async function post(origin: string, credential: string, body: string, agent: Agent | false) {
  const headers = {
    authorization: `Bearer ${credential}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  for (let times = 1; ; times += 1) {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request(`${origin}${PATH}`, { method: 'POST', agent, headers, signal }).end(body);
    // An error after the response's headers also rejects the read of its body.
    asked.on('error', () => undefined);
    const answer = await once(asked, 'response').then(
      ([response]) => response as IncomingMessage,
      (error: NodeJS.ErrnoException) => {
        const isClosed = asked.reusedSocket && CLOSED.includes(error.code);
        if (!isClosed || times === MOST_TIMES) throw error;
      },
    );
    if (!answer) continue;
    const [status, text] = [answer.statusCode ?? 0, await readText(answer)];
    const seconds = answer.headers['retry-after'];
    if (status !== 503 || seconds === undefined || times === MOST_TIMES) return { status, text, times };
    await pause(Number(seconds) * 1_000);
  }
}
