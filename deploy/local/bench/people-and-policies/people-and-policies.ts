import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Measured } from '../benchmark.ts';
import { measureBurst } from '../leads/closed-loops.ts';
import { fillTables } from '../leads/fill.ts';
import { startGenerator } from '../leads/generator.ts';
import type { ClosedResult } from '../leads/report.ts';
import { sizesOf } from '../leads/sizes.ts';
import { type Stage, setStage } from '../leads/stage.ts';
import type { BenchOptions } from '../options.ts';
import type { Measure } from '../result.ts';
import { percentile } from '../statistics.ts';
import { eraseOneByOne, findAgainAndAgain, peopleOf } from './people.ts';
import { sealEnquiries } from './seal-enquiries.ts';

const USUAL_ROWS = 1_000_000;
const SHORT_ROWS = 300;
const PEOPLE = { usual: 50, short: 3 };
/** The most that one dry run looks at. */
const TRIED = 100_000;
const TARGET = { findMs: 50, eraseMs: 5_000, dryRunSeconds: 60, slowdown: 1.1 };
/** A dry run ends by itself. */
const NO_TIMEOUT = 0;

/**
 * What goes through much: finding and erasing people among so many submissions, with as much in the tables of all services,
 * and trying a policy on the latest 100,000, while suppliers send as many leads as are answered.
 */
export const peopleAndPolicies: Benchmark = {
  summary: "finding and erasing people, and a policy's dry run, over full tables",
  async run(bench, options) {
    const generator = startGenerator();
    try {
      const stage = await setStage(bench, sizesOf(options), generator);
      return await measure(stage, options);
    } finally {
      generator.stop();
    }
  },
};

async function measure(stage: Stage, { rows: given, short }: BenchOptions): Promise<Measured> {
  const { bench, sizes, accountId } = stage;
  const rows = given || (short ? SHORT_ROWS : USUAL_ROWS);
  bench.progress('leads of people …');
  const seconds = sizes.warmUpSeconds;
  const { created } = await measureBurst(stage, 'create', { series: 'people', wanted: 202, seconds });
  const people = peopleOf(created, short ? PEOPLE.short : PEOPLE.usual);
  bench.progress(`filling the tables with ${rows} leads …`);
  await fillTables(bench, rows);
  const tried = Math.min(rows, TRIED);
  bench.progress(`sealing the enquiries of ${tried} …`);
  await sealEnquiries(bench, accountId, tried);

  // Whose token is made now: filling takes longer than one is valid.
  const { privacy, policies } = await bench.staff();
  bench.progress('finding and erasing …');
  const found = await findAgainAndAgain(privacy, people);
  const erased = await eraseOneByOne(privacy, await findSubmissions(stage, people.references));
  const creates = async (series: string) =>
    (await measureBurst(stage, 'create', { series, wanted: 202, seconds: sizes.burstSeconds })).result;
  bench.progress('creates, as many as are answered, alone …');
  const alone = await creates('alone');
  bench.progress('and with a dry run beside them …');
  const begun = performance.now();
  const dryRun = (async () => {
    const text = readFileSync(join(bench.checkout, 'services/submission/policy/decision.json'), 'utf8');
    let lookedAt = 0;
    const answers = policies.dryRunPolicy(
      { text, last: tried, accountId, purpose: 'how long it takes' },
      { timeoutMs: NO_TIMEOUT },
    );
    for await (const progress of answers) lookedAt = Number(progress.lookedAt);
    return { lookedAt, seconds: (performance.now() - begun) / 1_000 };
  })();
  const [beside, { lookedAt, seconds: dryRunSeconds }] = await Promise.all([creates('beside'), dryRun]);
  return {
    conditions: { rows, people: people.references.length, tried },
    measures: [
      ...spread('finding a person', found, TARGET.findMs, short),
      ...spread('erasing a person', erased, TARGET.eraseMs, short),
      { what: 'dry run: looked at', value: lookedAt, unit: 'leads', target: { atLeast: tried } },
      { what: 'dry run: took', value: dryRunSeconds, unit: 's', target: { atMost: TARGET.dryRunSeconds } },
      ...slowdown(alone, beside, short),
    ],
  };
}

function spread(what: string, ms: readonly number[], atMost: number, short: boolean): Measure[] {
  return [
    { what: `${what}: p50`, value: percentile(ms, 0.5), unit: 'ms' },
    {
      what: `${what}: p99`,
      value: percentile(ms, 0.99),
      unit: 'ms',
      // What a few rows show is that it works.
      ...(short ? {} : { target: { atMost } }),
    },
  ];
}

/** What suppliers feel of a dry run: how many creates are answered, and how soon. */
function slowdown(alone: ClosedResult, beside: ClosedResult, short: boolean): Measure[] {
  return [
    { what: 'creates alone', value: alone.perSecond, unit: '/s' },
    { what: 'creates alone: p99', value: alone.latencies.p99, unit: 'ms' },
    { what: 'creates beside it', value: beside.perSecond, unit: '/s' },
    { what: 'creates beside it: p99', value: beside.latencies.p99, unit: 'ms' },
    {
      what: 'creates a second: alone ÷ beside it',
      value: alone.perSecond / beside.perSecond,
      unit: '×',
      ...(short ? {} : { target: { atMost: TARGET.slowdown } }),
    },
  ];
}

async function findSubmissions({ bench, accountId }: Stage, references: readonly string[]) {
  const { rows } = await bench
    .database('submission')
    .query<{ id: string }>(
      'SELECT id FROM submission WHERE account_id = $1 AND external_reference = ANY($2) ORDER BY id',
      [accountId, references],
    );
  return rows.map(({ id }) => id);
}
