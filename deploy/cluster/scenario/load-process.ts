// Creates leads at a steady pace until it is told to stop, as a supplier's own client would, and reports every one of them.
// Spoken to over IPC.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleEnquiry } from '../../local/demonstration/sample-enquiry.ts';
import type { LoadOrder, LoadReport, SentCreate } from './load.ts';

const PATH = '/v1/supplier-submissions';
const ANSWER_MS = 30_000;
const MOST_FAILURES = 200;

let stopping = false;
process.on('disconnect', () => process.exit(0));
process.on('message', async (message: LoadOrder | 'stop') => {
  if (message === 'stop') {
    stopping = true;
    return;
  }
  stopping = false;
  process.send?.(await carryOut(message));
});

async function carryOut({ origin, credential, perSecond, keptAlive }: LoadOrder): Promise<LoadReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: keptAlive });
  const created: SentCreate[] = [];
  const failures: string[] = [];
  const latencies: number[] = [];
  const underWay = new Set<Promise<void>>();
  let [sent, failed] = [0, 0];
  const begun = performance.now();

  const create = async (number: number, due: number) => {
    const enquiry = { ...sampleEnquiry(), attribution: { source: 'cluster' } };
    // Half of them on connections of their own.
    const kept = number % 2 === 0;
    try {
      const { status, text } = await post(origin, credential, JSON.stringify(enquiry), kept ? agent : false);
      if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`);
      const { submission_id } = JSON.parse(text) as { submission_id: string };
      created.push({ submissionId: submission_id, reference: enquiry.external_reference });
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

  while (!stopping) {
    const due = begun + (sent * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    const promise = create(sent, due).finally(() => underWay.delete(promise));
    underWay.add(promise);
    sent += 1;
  }
  const seconds = (performance.now() - begun) / 1_000;
  await Promise.all(underWay);
  agent.destroy();
  return { sent, failed, failures, seconds, created, latencies: latencies.sort((a, b) => a - b) };
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
