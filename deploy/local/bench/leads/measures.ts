import type { Measure } from '../result.ts';
import type { Latencies } from './load-generator.ts';
import type {
  BareResults,
  BurstResult,
  ClosedResult,
  Drained,
  LeadsReport,
  RateResult,
  Round,
} from './report.ts';
import { sumOf } from './stack-usage.ts';

const PARTS: readonly (readonly [keyof Latencies, string])[] = [
  ['p50', 'p50'],
  ['p99', 'p99'],
  ['p999', 'p99.9'],
];
/** What a figure with a million leads in the tables is to the same figure with none. */
const FULL_TO_EMPTY = 0.9;
const MEMORY_MIB = 1_000;

/** What the 202 to the decision's webhook, and the CPU time of a lead, are to be at a rate, in milliseconds. */
const RATE_TARGETS: Readonly<Record<number, { p50?: number; p99: number; cpuMs: number }>> = {
  200: { p50: 40, p99: 200, cpuMs: 6 },
  500: { p99: 1_000, cpuMs: 3.5 },
};

/** Every figure of a run, as lines of a table; what was not measured has no line. */
export function measuresOf(report: LeadsReport): Measure[] {
  const { inserts, selects } = report.bare;
  const [empty, full] = report.rounds;
  return [
    ...(inserts ? closedMeasures('bare server: inserts', inserts) : []),
    ...(selects ? closedMeasures('bare server: selects', selects) : []),
    ...report.rounds.flatMap((round) => roundMeasures(round, report.bare)),
    ...(empty && full ? fullToEmpty(empty, full) : []),
    ...ratio('bare server: inserts at the end ÷ at the start', report.bareAgain.inserts, inserts),
    ...ratio('bare server: selects at the end ÷ at the start', report.bareAgain.selects, selects),
  ];
}

function roundMeasures(round: Round, { inserts, selects }: BareResults): Measure[] {
  const label = round.rows > 0 ? `with ${round.rows} rows: ` : '';
  const { burst, replays, readsById, readsByReference, basic } = round;
  return [
    ...(burst ? burstMeasures(`${label}creates`, burst) : []),
    ...ratio(`${label}creates ÷ bare inserts`, burst, inserts, 0.25),
    ...(replays ? closedMeasures(`${label}replays`, replays) : []),
    ...(readsById ? closedMeasures(`${label}reads by id`, readsById) : []),
    ...ratio(`${label}reads by id ÷ bare selects`, readsById, selects, 0.35),
    ...(readsByReference ? closedMeasures(`${label}reads by reference`, readsByReference) : []),
    ...(basic ? burstMeasures(`${label}basic creates`, basic) : []),
    ...round.rates.flatMap((rate) => rateMeasures(label, rate)),
    ...(round.memoryAfter
      ? [
          {
            what: `${label}memory of the whole stack, after it all`,
            value: sumOf(round.memoryAfter),
            unit: 'MiB',
            target: { atMost: MEMORY_MIB },
          },
        ]
      : []),
  ];
}

const perSecond = (what: string, { perSecond }: ClosedResult): Measure => ({
  what,
  value: perSecond,
  unit: '/s',
});

function closedMeasures(what: string, result: ClosedResult): Measure[] {
  return [
    perSecond(what, result),
    { what: `${what}: p99`, value: result.latencies.p99, unit: 'ms' },
    { what: `${what}: CPU for each`, value: sumOf(result.cpuMs), unit: 'ms' },
    ...refusals(what, result.refused),
  ];
}

function burstMeasures(what: string, result: BurstResult): Measure[] {
  return [...closedMeasures(what, result), ...drainMeasure(what, result.drained)];
}

function drainMeasure(what: string, drained: Drained): Measure[] {
  return 'stalled' in drained
    ? []
    : [{ what: `${what}: time to drain afterwards`, value: drained.drainMs / 1_000, unit: 's' }];
}

function ratio(
  what: string,
  part: ClosedResult | undefined,
  whole: ClosedResult | undefined,
  atLeast?: number,
): Measure[] {
  if (!part || !whole) return [];
  const measure = { what, value: part.perSecond / whole.perSecond, unit: '' };
  return [atLeast === undefined ? measure : { ...measure, target: { atLeast } }];
}

function rateMeasures(label: string, result: RateResult): Measure[] {
  const at = `${label}${result.perSecond}/s`;
  const targets = RATE_TARGETS[result.perSecond];
  const latency = (what: string, latencies: Latencies, most?: { p50?: number; p99?: number }) =>
    PARTS.map(([part, name]): Measure => {
      const atMost = part === 'p999' ? undefined : most?.[part];
      const measure = { what: `${at}: ${what}, ${name}`, value: latencies[part], unit: 'ms' };
      return atMost === undefined ? measure : { ...measure, target: { atMost } };
    });
  return [
    { what: `${at}: due to sent, p99`, value: result.sentLateP99, unit: 'ms' },
    ...latency('due to 202', result.answers),
    ...latency('202 to webhook', result.answerToWebhook, targets),
    ...latency('due to webhook', result.dueToWebhook),
    ...latency('due to billed', result.dueToSettled),
    { what: `${at}: refused`, value: result.sent - result.accepted, unit: '', target: { atMost: 0 } },
    ...refusals(at, result.refused),
    {
      what: `${at}: accepted and not decided`,
      value: result.accepted - result.decided,
      unit: '',
      target: { atMost: 0 },
    },
    {
      what: `${at}: CPU of the stack for each lead`,
      value: sumOf(result.cpuMs),
      unit: 'ms',
      ...(targets ? { target: { atMost: targets.cpuMs } } : {}),
    },
    ...Object.entries(result.cpuMs)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, value]) => ({ what: `${at}:   of that ${name}`, value, unit: 'ms' })),
    {
      what: `${at}: CPU of the benchmark itself for each lead`,
      value: sumOf(result.toolsCpuMs),
      unit: 'ms',
    },
    ...oldest(result).map(([name, value]) => ({ what: `${at}: oldest of ${name}`, value, unit: 'ms' })),
    { what: `${at}: memory of the stack, peak`, value: sumOf(result.memory.peak), unit: 'MiB' },
    ...drainMeasure(at, result.drained),
  ];
}

function oldest({ samples }: RateResult): [name: string, ms: number][] {
  const names = Object.keys(samples[0]?.queues ?? {});
  return names.map((name) => [name, Math.max(...samples.map(({ queues }) => queues[name]?.oldestMs ?? 0))]);
}

const refusals = (what: string, refused: Readonly<Record<string, number>>): Measure[] =>
  Object.entries(refused).map(([reason, value]) => ({
    what: `${what}: answered ${reason}`,
    value,
    unit: '',
  }));

/** Rates as they are, latencies the other way round: more is better of both. */
function fullToEmpty(empty: Round, full: Round): Measure[] {
  const rates = (['burst', 'replays', 'readsById', 'readsByReference', 'basic'] as const).flatMap((name) => {
    const [one, other] = [empty[name], full[name]];
    return one && other ? [{ name: NAMES[name], value: other.perSecond / one.perSecond }] : [];
  });
  const latencies = full.rates.flatMap((rate, index) => {
    const before = empty.rates[index];
    return before
      ? [
          {
            name: `CPU for each lead at ${rate.perSecond}/s`,
            value: sumOf(before.cpuMs) / sumOf(rate.cpuMs),
          },
        ]
      : [];
  });
  return [...rates, ...latencies].map(({ name, value }) => ({
    what: `full ÷ empty: ${name}`,
    value,
    unit: '',
    target: { atLeast: FULL_TO_EMPTY },
  }));
}

const NAMES = {
  burst: 'creates',
  replays: 'replays',
  readsById: 'reads by id',
  readsByReference: 'reads by reference',
  basic: 'basic creates',
} as const;
