import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../../local/bench/statistics.ts';
import { sampleEnquiry } from '../../../local/demonstration/sample-enquiry.ts';

const PATH = '/v1/supplier-submissions';
const ANSWER_MS = 30_000;
const MOST_FAILURES = 200;

export interface LoadOrder {
  readonly perSecond: number;
  /** Connections that are kept; every other create has one of its own. */
  readonly keptAlive: number;
}

export interface LoadReport {
  readonly sent: number;
  readonly failed: number;
  /** When, on which kind of connection, and what came instead of a 202; of the first 200. */
  readonly failures: readonly string[];
  readonly seconds: number;
  /** Milliseconds from when each was due to its answer: the half of them, 99 of 100, all. */
  readonly within: readonly [number, number, number];
}

/** Creates leads at a steady pace, as a supplier's own client would, sending nothing twice. */
export interface Load {
  /** Resolves when every create is answered. */
  stop(): Promise<LoadReport>;
}

/** `created` gets the submission id of each create that was answered with a 202. */
export function startLoad(origin: string, credential: string, order: LoadOrder, created: string[]): Load {
  const { perSecond, keptAlive } = order;
  const agent = new Agent({ keepAlive: true, maxSockets: keptAlive });
  const failures: string[] = [];
  const latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  let [sent, failed, stopping] = [0, 0, false];
  const begun = performance.now();

  const create = async (number: number, due: number) => {
    const enquiry = { ...sampleEnquiry(), attribution: { source: 'cluster' } };
    // Half of them on connections of their own.
    const kept = number % 2 === 0;
    try {
      const { status, text } = await post(origin, credential, JSON.stringify(enquiry), kept ? agent : false);
      if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`);
      created.push((JSON.parse(text) as { submission_id: string }).submission_id);
    } catch (error) {
      failed += 1;
      const at = ((performance.now() - begun) / 1_000).toFixed(2);
      const reason = error instanceof Error ? error.message : String(error);
      if (failures.length < MOST_FAILURES)
        failures.push(`${at} s, ${kept ? 'a kept connection' : 'a new connection'}: ${reason}`);
    } finally {
      latencies.push(performance.now() - due);
    }
  };
  const going = (async () => {
    while (!stopping) {
      const due = begun + (sent * 1_000) / perSecond;
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
      const seconds = (performance.now() - begun) / 1_000;
      await Promise.all(underWay);
      agent.destroy();
      latencies.sort((a, b) => a - b);
      const within = (part: number) => percentile(latencies, part);
      return { sent, failed, failures, seconds, within: [within(0.5), within(0.99), within(1)] };
    },
  };
}

function post(origin: string, credential: string, body: string, agent: Agent | false) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request(`${origin}${PATH}`, { method: 'POST', agent, headers, signal }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
