import { reasonOf } from '../../terminal.ts';
import type { Benchmark } from '../benchmark.ts';
import { measureBare } from './bare.ts';
import { measureBurst, measureReads } from './closed-loops.ts';
import { fillTables } from './fill.ts';
import { startGenerator } from './generator.ts';
import { measuresOf } from './measures.ts';
import { pageOf } from './page.ts';
import { measureRate } from './rate.ts';
import type { Drained, LeadsReport, Round } from './report.ts';
import type { Subject } from './requests.ts';
import { sizesOf } from './sizes.ts';
import { memoryMibOf } from './stack-usage.ts';
import { type Stage, setStage } from './stage.ts';

/** Reads ask for so many different submissions, in turn. */
const READ_SUBJECTS = 20_000;
const PRODUCTION = 2;

/**
 * Leads through the whole stack, in production: creates, reads, and the way from the create to the last webhook at
 * steady rates. Everything is held against a bare server that was measured in the same run.
 */
export const leads: Benchmark = {
  summary: 'creates, reads, and leads end to end at steady rates, held against a bare server',
  async run(bench, options) {
    const sizes = sizesOf(options);
    const report: LeadsReport = { startedAt: new Date().toISOString(), bare: {}, bareAgain: {}, rounds: [] };
    let stopped: string | undefined;
    const generator = startGenerator();
    try {
      await measureBare(bench, sizes, generator, report.bare);
      const stage = await setStage(bench, sizes, generator);
      await warmUp(stage);
      await measureRound(stage, addRound(report, 'empty', 0));
      if (sizes.rows > 0) await measureFull(stage, report);
      await measureBare(bench, sizes, generator, report.bareAgain);
    } catch (error) {
      // What was measured until now is worth having, whatever went wrong.
      stopped = reasonOf(error);
    } finally {
      generator.stop();
    }
    return {
      conditions: { rates: sizes.rates.join(' '), seconds: sizes.rateSeconds, rows: sizes.rows },
      measures: measuresOf(report),
      detail: report,
      page: (result) => pageOf(result, report),
      ...(stopped === undefined ? {} : { stopped }),
    };
  },
};

function addRound(report: LeadsReport, label: Round['label'], rows: number): Round {
  const round: Round = { label, rows, rates: [] };
  report.rounds.push(round);
  return round;
}

async function measureFull(stage: Stage, report: LeadsReport): Promise<void> {
  const { bench, sizes } = stage;
  bench.progress(`filling the tables with ${sizes.rows} leads …`);
  await fillTables(bench, sizes.rows);
  await measureRound(stage, addRound(report, 'full', sizes.rows));
}

/** Until the code that each lead runs is compiled, connections are open and plans are made. */
async function warmUp(stage: Stage): Promise<void> {
  stage.bench.progress('warming up …');
  const seconds = stage.sizes.warmUpSeconds;
  const whole = await measureBurst(stage, 'create', { series: 'warm-up', wanted: 202, seconds });
  goOnWhen(whole.result.drained);
  const basic = await measureBurst(stage, 'create-basic', { series: 'warm-up-basic', wanted: 200, seconds });
  goOnWhen(basic.result.drained);
  const subjects = await subjectsOf(stage);
  await measureReads(stage, 'read', { wanted: 200, subjects });
  await measureReads(stage, 'read-by-reference', { wanted: 200, subjects });
}

/** Adds each figure when it is there, so that what comes later can fail without it. */
async function measureRound(stage: Stage, round: Round): Promise<void> {
  const { bench, sizes } = stage;
  const say = (line: string) => bench.progress(round.rows > 0 ? `${line} (${round.rows} rows)` : line);
  const seconds = sizes.burstSeconds;

  say('creates, as many as are answered …');
  const burst = await measureBurst(stage, 'create', { series: `${round.label}-burst`, wanted: 202, seconds });
  round.burst = burst.result;
  goOnWhen(burst.result.drained);
  say(`  ${burst.result.perSecond.toFixed(0)}/s; the same again …`);
  round.replays = await measureReads(stage, 'create', { wanted: 200, again: burst.created });
  const subjects = await subjectsOf(stage);
  say(`  ${round.replays.perSecond.toFixed(0)}/s; reads by id …`);
  round.readsById = await measureReads(stage, 'read', { wanted: 200, subjects });
  say(`  ${round.readsById.perSecond.toFixed(0)}/s; reads by reference …`);
  round.readsByReference = await measureReads(stage, 'read-by-reference', { wanted: 200, subjects });
  say(`  ${round.readsByReference.perSecond.toFixed(0)}/s; basic creates …`);
  const basic = await measureBurst(stage, 'create-basic', {
    series: `${round.label}-basic`,
    wanted: 200,
    seconds,
  });
  round.basic = basic.result;
  goOnWhen(basic.result.drained);
  say(`  ${basic.result.perSecond.toFixed(0)}/s`);
  for (const rate of sizes.rates) {
    say(`leads end to end at ${rate}/s for ${sizes.rateSeconds} s …`);
    const result = await measureRate(stage, rate, `${round.label}-${rate}`);
    round.rates.push(result);
    goOnWhen(result.drained);
    const { p50, p99 } = result.answerToWebhook;
    say(`  202 to webhook p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`);
  }
  round.memoryAfter = memoryMibOf(bench.pids());
}

/** Throws when work is left behind, which the next measurement would be charged with. */
function goOnWhen(drained: Drained): void {
  if ('stalled' in drained) throw new Error(drained.stalled);
}

/** Submissions from all over the table, in no order that an index has. */
async function subjectsOf({ bench, accountId }: Stage): Promise<Subject[]> {
  const { rows } = await bench.database('submission').query<Subject>(
    `SELECT id, external_reference AS reference FROM submission WHERE account_id = $1 AND environment = $2
      ORDER BY md5(id::text) LIMIT $3`,
    [accountId, PRODUCTION, READ_SUBJECTS],
  );
  return rows;
}
