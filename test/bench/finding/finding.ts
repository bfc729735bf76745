import { setTimeout as pause } from 'node:timers/promises';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Bench } from '../bench.ts';
import type { Benchmark } from '../benchmark.ts';
import { fillTables } from '../leads/fill.ts';
import { enquiry, FIRST_CUSTOMER, referenceOf } from '../leads/requests.ts';
import { percentile } from '../statistics.ts';
import { type Question, questionsOf } from './questions.ts';
import { makeRare } from './rare-submissions.ts';

const USUAL_ROWS = 200_000;
const TARGET = { atMost: 50 };
/** The number of requests per question; its pages are requested in turn. */
const ASKED = { usual: 300, short: 20 };
const WARM_UP = { usual: 30, short: 2 };
const SETTLED_MS = 180_000;

/** Staff lists of a submission service with many submissions in its tables: every filter, rare ones, deep pages. */
export const finding: Benchmark = {
  summary: 'staff lists over many submissions: every filter, rare values, deep pages',
  async run(bench, { rows: given, short }, add) {
    const rows = given || USUAL_ROWS;
    const accountId = await makeSubmissionToCopy(bench);
    bench.progress(`filling the tables with ${rows} leads …`);
    await fillTables(bench, rows, ['submission']);
    const rare = await makeRare(bench.database('submission'), accountId);
    const asked = short ? ASKED.short : ASKED.usual;
    for (const question of questionsOf(bench.staff.submission, rare)) {
      await ask(question, short ? WARM_UP.short : WARM_UP.usual);
      const times = await ask(question, asked);
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
      bench.progress(`  ${question.what}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`);
      add({ what: `${question.what}: p50`, value: p50, unit: 'ms' });
      // With few rows, the result only shows that it works.
      add({
        what: `${question.what}: p99`,
        value: p99,
        unit: 'ms',
        ...(short ? {} : { target: TARGET }),
      });
    }
  },
};

/** Returns the milliseconds from each call to its response, sequentially. */
async function ask({ call }: Question, times: number): Promise<number[]> {
  const taken: number[] = [];
  let pageToken = '';
  for (let n = 0; n < times; n += 1) {
    const start = performance.now();
    pageToken = await call(pageToken);
    taken.push(performance.now() - start);
  }
  return taken;
}

/** Creates one submission through the real services, accepted and billed, which the others copy. Resolves to its account. */
export async function makeSubmissionToCopy(bench: Bench): Promise<string> {
  const { accountId, credential } = await bench.makeSupplier(Environment.PRODUCTION);
  const answer = await fetch(`${bench.stack.production}/v1/supplier-submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: enquiry(referenceOf('settled', 0), FIRST_CUSTOMER),
  });
  if (answer.status !== 202)
    throw new Error(`cannot fill the tables: a create returned ${answer.status} ${await answer.text()}`);
  for (const deadline = Date.now() + SETTLED_MS; Date.now() < deadline; await pause(100)) {
    const { rows } = await bench
      .database('submission')
      .query('SELECT FROM submission WHERE account_id = $1 AND billing_status = 2', [accountId]);
    if (rows.length > 0) return accountId;
  }
  throw new Error(`cannot fill the tables: the lead to copy was not billed after ${SETTLED_MS / 1_000} s`);
}
