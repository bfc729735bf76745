import { randomUUID } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { BillingModel } from '@supplier/proto/common/v1/status';
import type { Benchmark } from './benchmark.ts';
import { watchMemory } from './memory-watch.ts';
import type { Measure } from './result.ts';
import type { Workbench } from './workbench.ts';

const USUAL_LINES = 100_000;
const SHORT_LINES = 5_000;
const TARGET_SECONDS = 10;
const TARGET_MIB = 100;
const TIMEOUT_MS = 60_000;
const MONTH = '2026-01';
const PENDING_LEADS = 20;
/** Reads of a list, of which the slowest but one in a hundred counts. */
const READS = 100;

/**
 * A month of one account with many lines, in a billing service that does nothing else: how long its statement takes to be
 * read to the end, added up, priced and closed, and what the process holds in memory for it; and how long a page of the
 * queue of pending leads takes beside as many leads that are settled.
 */
export const statement: Benchmark = {
  summary: 'a statement of 100,000 lines: time and memory to stream, add up, price and close it',
  async run(bench, { rows, short }) {
    const lines = rows > 0 ? rows : short ? SHORT_LINES : USUAL_LINES;
    await bench.start(['account', 'billing']);
    const { account } = await bench.staff();
    const billing = await bench.billing();
    const { accountId } = await account.createAccount({
      name: 'statements',
      permittedScopes: [1],
      terms: { billingModel: 1, decisionMode: 1, applicationMinting: 1, preUnderwritingFailure: 1 },
    });
    bench.progress(`${lines} lines …`);
    await fill(bench, accountId, lines);

    const measures: Measure[] = [];
    // Of a tenth of the lines: there is a bound on how many get one at once.
    const price = { accountId, billingModel: BillingModel.ACCEPTED_SUBMISSION, pence: 2_500 };
    const effectiveFrom = timestampFromMs(Date.parse(`${MONTH}-28T21:36:00Z`));
    const priced = await timed(() => billing.setPrice({ ...price, effectiveFrom }));
    measures.push({
      what: 'first price of a tenth',
      value: priced.seconds,
      unit: 's',
      target: { atMost: 4 },
    });

    const memory = watchMemory(bench.pidOf('billing'));
    let received = 0;
    const streamed = await timed(async () => {
      for await (const message of billing.streamStatement(
        { accountId, month: MONTH },
        { timeoutMs: TIMEOUT_MS },
      ))
        received += message.lines.length;
    });
    const held = memory.stop();
    if (received !== lines) throw new Error(`${received} lines were streamed of ${lines}`);
    measures.push(
      { what: 'streamed to the end', value: streamed.seconds, unit: 's', target: { atMost: TARGET_SECONDS } },
      { what: 'memory while streaming', value: held, unit: 'MiB more', target: { atMost: TARGET_MIB } },
    );
    const summed = await timed(() => billing.getStatement({ accountId, month: MONTH }));
    const closed = await timed(() => billing.closeMonth({ accountId, month: MONTH, allowUnpriced: true }));
    const page = await slowest(() => billing.listLeads({ accountId }));
    const pageOfAll = await slowest(() => billing.listLeads({}));
    return {
      conditions: { lines },
      measures: [
        ...measures,
        { what: 'added up', value: summed.seconds * 1_000, unit: 'ms' },
        { what: 'closed', value: closed.seconds * 1_000, unit: 'ms' },
        { what: 'pending leads of an account, p99', value: page, unit: 'ms', target: { atMost: 50 } },
        { what: 'pending leads of all, p99', value: pageOfAll, unit: 'ms', target: { atMost: 50 } },
      ],
    };
  },
};

async function timed<Result>(work: () => Promise<Result>): Promise<{ seconds: number }> {
  const begun = performance.now();
  await work();
  return { seconds: (performance.now() - begun) / 1_000 };
}

/** Milliseconds that the slowest but one of a hundred reads took. */
async function slowest(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < READS; count += 1) times.push((await timed(read)).seconds * 1_000);
  return times.sort((a, b) => a - b).at(-2) ?? Number.NaN;
}

/** Settled leads with a charge each in one month, and a few pending ones. */
async function fill(bench: Workbench, accountId: string, lines: number): Promise<void> {
  const pool = bench.database('billing');
  await pool.query(
    `WITH made AS (
       INSERT INTO lead (submission_id, account_id, environment, billing_model, billing_status, billable_at, version)
       SELECT gen_random_uuid(), $1, 'production', 'accepted_submission', 'billable',
              '2026-01-01T00:00:00Z'::timestamptz + n * interval '31 days' / ($2::int + 1), 1
         FROM generate_series(1, $2::int) AS n RETURNING submission_id, billable_at)
     INSERT INTO ledger_entry (id, submission_id, account_id, kind, billing_model, occurred_at, event_id, statement_month)
     SELECT gen_random_uuid(), submission_id, $1, 'charge', 'accepted_submission', billable_at, gen_random_uuid(), '2026-01-01'
       FROM made`,
    [accountId, lines],
  );
  await pool.query(
    `INSERT INTO lead (submission_id, account_id, environment, billing_model, billing_status, version)
     SELECT ('0199a000-' || substr($2::text, 10, 15) || lpad(to_hex(n), 12, '0'))::uuid, $1, 'production',
            'application_created', 'pending', 0 FROM generate_series(1, $3::int) AS n`,
    [accountId, randomUUID(), PENDING_LEADS],
  );
  await pool.query('VACUUM ANALYZE lead');
  await pool.query('VACUUM ANALYZE ledger_entry');
}
