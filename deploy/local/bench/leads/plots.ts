import type { Latencies } from './load-generator.ts';
import type { LeadsReport, RateResult, Round } from './report.ts';

/** One picture, as draw-plots.js draws it. */
export interface Plot {
  readonly title: string;
  readonly kind: 'lines' | 'stacked bars' | 'stacked areas';
  readonly xTitle: string;
  readonly yTitle: string;
  readonly x: readonly number[];
  /** What stands below each x, where it is not the number. */
  readonly names?: readonly string[];
  /** Whether equal factors of y are equally far apart. */
  readonly logarithmic?: boolean;
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly colour: string;
  /** One for each x; null where there is none. */
  readonly values: readonly (number | null)[];
}

const COLOURS = [
  '#1f6feb',
  '#d1242f',
  '#1a7f37',
  '#bf8700',
  '#8250df',
  '#0a7d91',
  '#bf3989',
  '#57606a',
  '#e16f24',
  '#8c6d5a',
] as const;

/** Each process has one colour in all pictures. */
const PROCESSES = [
  'postgres',
  'submission',
  'production',
  'webhook',
  'billing',
  'nats',
  'gateway',
  'account',
  'document',
];

const colour = (index: number): string => COLOURS[index % COLOURS.length] ?? 'black';

/** The pictures of a run, of what it has measured. */
export function plotsOf(report: LeadsReport): Plot[] {
  return [throughput(report), ...report.rounds.flatMap(roundPlots)];
}

function throughput({ bare, rounds }: LeadsReport): Plot {
  const bars = [
    ['bare inserts', bare.inserts],
    ...rounds.flatMap(({ rows, burst, replays, basic }) => [
      [`creates${ofRows(rows)}`, burst],
      [`replays${ofRows(rows)}`, replays],
      [`basic creates${ofRows(rows)}`, basic],
    ]),
    ['bare selects', bare.selects],
    ...rounds.flatMap(({ rows, readsById, readsByReference }) => [
      [`reads by id${ofRows(rows)}`, readsById],
      [`reads by reference${ofRows(rows)}`, readsByReference],
    ]),
  ] as const;
  const measured = bars.flatMap(([name, result]) =>
    typeof result === 'object' && typeof name === 'string' ? [{ name, perSecond: result.perSecond }] : [],
  );
  return {
    title: 'Answers a second, as fast as they come',
    kind: 'stacked bars',
    xTitle: '',
    yTitle: 'answers/s',
    x: measured.map((_bar, index) => index),
    names: measured.map(({ name }) => name),
    series: [{ name: 'answers/s', colour: colour(0), values: measured.map(({ perSecond }) => perSecond) }],
  };
}

function roundPlots({ rows, rates }: Round): Plot[] {
  if (rates.length === 0) return [];
  const of = ofRows(rows);
  return [
    latencyPlot(`202 to the webhook of the decision${of}`, rates, ({ answerToWebhook }) => answerToWebhook),
    latencyPlot(`Create due to 202${of}`, rates, ({ answers }) => answers),
    {
      ...byRate(rates),
      title: `CPU time of a lead, by process${of}`,
      kind: 'stacked bars',
      yTitle: 'ms of CPU',
      series: byProcess(rates.map(({ cpuMs }) => cpuMs)),
    },
    memoryPlot(`Memory of the stack, at one rate after the other${of}`, rates),
    ...rates.map((rate) => queuePlot(`Age of the oldest in each queue at ${rate.perSecond}/s${of}`, rate)),
  ];
}

const byRate = (rates: readonly RateResult[]) => ({
  xTitle: 'leads/s',
  x: rates.map((_rate, index) => index),
  names: rates.map(({ perSecond }) => `${perSecond}/s`),
});

function latencyPlot(
  title: string,
  rates: readonly RateResult[],
  pick: (rate: RateResult) => Latencies,
): Plot {
  const line = (name: string, part: keyof Latencies, index: number): Series => ({
    name,
    colour: colour(index),
    values: rates.map((rate) => finite(pick(rate)[part])),
  });
  return {
    ...byRate(rates),
    title,
    kind: 'lines',
    yTitle: 'ms',
    logarithmic: true,
    series: [line('p50', 'p50', 0), line('p99', 'p99', 3), line('p99.9', 'p999', 1)],
  };
}

function memoryPlot(title: string, rates: readonly RateResult[]): Plot {
  let end = 0;
  const samples = rates.flatMap((rate) => {
    const start = end;
    end += rate.samples.at(-1)?.atMs ?? 0;
    return rate.samples.flatMap(({ atMs, memory }) => (memory ? [{ atMs: start + atMs, memory }] : []));
  });
  return {
    title,
    kind: 'stacked areas',
    xTitle: 's',
    yTitle: 'MiB',
    x: samples.map(({ atMs }) => atMs / 1_000),
    series: byProcess(samples.map(({ memory }) => memory)),
  };
}

function queuePlot(title: string, { samples }: RateResult): Plot {
  const names = Object.keys(samples[0]?.queues ?? {});
  return {
    title,
    kind: 'lines',
    xTitle: 's',
    yTitle: 'ms',
    x: samples.map(({ atMs }) => atMs / 1_000),
    series: names.map((name, index) => ({
      name,
      colour: colour(index),
      values: samples.map(({ queues }) => queues[name]?.oldestMs ?? null),
    })),
  };
}

/** The largest first, so that it lies at the bottom. */
function byProcess(figures: readonly Readonly<Record<string, number>>[]): Series[] {
  const names = Object.keys(figures.at(-1) ?? {});
  const last = (name: string) => figures.at(-1)?.[name] ?? 0;
  return names
    .toSorted((one, other) => last(other) - last(one))
    .map((name) => ({
      name,
      colour: colour(PROCESSES.indexOf(name) < 0 ? COLOURS.length - 1 : PROCESSES.indexOf(name)),
      values: figures.map((figure) => finite(figure[name] ?? Number.NaN)),
    }));
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const ofRows = (rows: number) => (rows > 0 ? `, ${rows.toLocaleString('en-GB')} rows` : '');
