import type { Benchmark, Measure } from '../benchmark.ts';
import type { BenchOptions } from '../options.ts';
import { memoryMibOf } from '../usage.ts';
import { type Bare, measureBare } from './bare.ts';
import { fillTables } from './fill.ts';
import { closedMeasures, ratio } from './measures.ts';
import { measureRate } from './rate.ts';
import type { RequestSource, Subject } from './requests.ts';
import { burstOf, type Stage, setStage } from './stage.ts';
import { watchUntilDrained } from './watch.ts';

/** The number of different submissions that reads request, in turn. */
const READ_SUBJECTS = 20_000;
const PRODUCTION = 2;
/** More than any machine of this size can handle per second. */
const MOST_PER_SECOND = 20_000;
const MEMORY_MIB = 1_000;
/** The required ratio of a figure with a million submissions in the tables to the same figure with none. */
const FULL_TO_EMPTY = 0.9;

type Add = (...measures: Measure[]) => void;

/**
 * Submissions through the whole stack, in production: creates, reads, and the latency from the create to the last webhook at
 * steady rates. The baseline is a bare server measured in the same run, and again at the end: on a quiet machine the
 * figures match. With `--rows`, the tables are filled first.
 */
export const leads: Benchmark = {
  summary: 'creates, reads, and leads end to end at steady rates, compared with a bare server',
  async run(bench, options, add) {
    const stage = await setStage(bench, options);
    try {
      const bare = await measureBare(stage, add);
      bench.progress('warming up …');
      await measureLoops(
        stage,
        { label: 'warm-up ', seconds: stage.sizes.warmUpSeconds },
        bare,
        () => undefined,
      );
      const empty: Measure[] = [];
      await measureAll(stage, { ...options, rows: 0 }, bare, (...more) => {
        empty.push(...more);
        add(...more);
      });
      if (options.rows > 0) {
        bench.progress(`filling the tables with ${options.rows} leads …`);
        await fillTables(bench, options.rows);
        await measureAll(stage, options, bare, (...more) =>
          add(...more, ...heldAgainst(empty, more, labelOf(options.rows))),
        );
      }
      const again = await measureBare(stage, () => undefined);
      add(ratio('bare server: inserts at the end ÷ at the start', again.inserts, bare.inserts));
      add(ratio('bare server: selects at the end ÷ at the start', again.selects, bare.selects));
    } finally {
      stage.stop();
    }
  },
};

/** Returns the ratio of rates with full tables to those with empty ones. */
const heldAgainst = (empty: readonly Measure[], full: readonly Measure[], label: string): Measure[] =>
  full.flatMap(({ what, value, unit }) => {
    const before = empty.find((measure) => unit === '/s' && what === `${label}${measure.what}`);
    return before ? [ratio(`full ÷ empty: ${before.what}`, value, before.value, FULL_TO_EMPTY)] : [];
  });

const labelOf = (rows: number) => (rows > 0 ? `with ${rows} rows: ` : '');

async function measureAll(stage: Stage, { rates, seconds, rows }: BenchOptions, bare: Bare, add: Add) {
  const label = labelOf(rows);
  await measureLoops(stage, { label, seconds: stage.sizes.burstSeconds }, bare, add);
  for (const perSecond of rates) {
    stage.bench.progress(`leads end to end at ${perSecond}/s for ${seconds} s …`);
    add(
      ...(await measureRate(stage, { perSecond, seconds, series: `rows-${rows}-rate-${perSecond}`, label })),
    );
  }
  const value = memoryMibOf(stage.bench.pids());
  const what = `${label}memory of the whole stack at the end`;
  add({ what, value, unit: 'MiB', target: { atMost: MEMORY_MIB } });
}

/** Measures creates, replays and reads at full speed, one kind after the other. */
async function measureLoops(
  stage: Stage,
  { label, seconds }: { label: string; seconds: number },
  bare: Bare,
  add: Add,
): Promise<void> {
  const run = async (
    what: string,
    source: Omit<RequestSource, 'credential'>,
    wanted: number,
    atMost: number,
  ) => {
    const report = await stage.send(burstOf(stage, source, { wanted, seconds, atMost }), stage.bench.pids);
    add(...closedMeasures(`${label}${what}`, report));
    const perSecond = report.answered / report.seconds;
    stage.bench.progress(`${label}${what}: ${perSecond.toFixed(0)}/s`);
    return { sent: report.sent, answered: report.answered, perSecond };
  };
  /** Measures creates, and the time until all their work is done. */
  const runCreates = async (what: string, kind: 'create' | 'create-basic', wanted: number) => {
    const most = seconds * MOST_PER_SECOND;
    const series = `${label}${what}`.replaceAll(/\W+/g, '-');
    const source = { kind, series, firstCustomer: stage.takeCustomers(most) };
    await stage.tell({ follow: series });
    const sending = run(what, source, wanted, most);
    const { drainMs } = await watchUntilDrained(stage.bench, series, () => stage.tell({}), sending);
    add({ what: `${label}${what}: time to drain afterwards`, value: drainMs / 1_000, unit: 's' });
    return { ...(await sending), source };
  };

  const creates = await runCreates('creates', 'create', 202);
  add(ratio(`${label}creates ÷ bare inserts`, creates.perSecond, bare.inserts, 0.15));
  await run('replays', creates.source, 200, creates.sent);
  const reads = { series: '', firstCustomer: 0, subjects: await subjectsOf(stage) };
  const endless = Number.MAX_SAFE_INTEGER;
  const byId = await run('reads by id', { ...reads, kind: 'read' }, 200, endless);
  add(ratio(`${label}reads by id ÷ bare selects`, byId.perSecond, bare.selects, 0.38));
  await run('reads by reference', { ...reads, kind: 'read-by-reference' }, 200, endless);
  await runCreates('basic creates', 'create-basic', 200);
}

/** Returns submissions from all over the table, in no order that an index has. */
async function subjectsOf({ bench, accountId }: Stage): Promise<Subject[]> {
  const { rows } = await bench.database('submission').query<Subject>(
    `SELECT id, external_reference AS reference FROM submission WHERE account_id = $1 AND environment = $2
      ORDER BY md5(id::text) LIMIT $3`,
    [accountId, PRODUCTION, READ_SUBJECTS],
  );
  return rows;
}
