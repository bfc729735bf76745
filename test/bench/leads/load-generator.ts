// Sends requests as fast as they are answered, or at a steady pace, and reports the results. Controlled over IPC.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../statistics.ts';
import { monotonicMs } from './monotonic.ts';
import { type RequestSource, requestMaker, type Subject } from './requests.ts';

export interface Order {
  readonly origin: string;
  readonly source: RequestSource;
  /** The expected status. */
  readonly wanted: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second, sent on schedule even if earlier ones are unanswered; undefined: as many as are answered. */
  readonly perSecond?: number;
  /** The maximum number of requests. */
  readonly atMost: number;
}

/** Milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface LoadReport {
  readonly sent: number;
  /** The number of responses with the expected status. */
  readonly answered: number;
  /** The number of other results, by status or error. */
  readonly refused: Readonly<Record<string, number>>;
  /** From the first request to the last response. */
  readonly seconds: number;
  /** For expected responses: from when the request was due, which without a pace is when it was sent. */
  readonly latencies: Latencies;
  /** The p99 delay in sending paced requests. */
  readonly sentLateP99: number;
  /** By number: when each request was due, and when its expected response arrived (NaN: never). */
  readonly dueAt: Float64Array;
  readonly answeredAt: Float64Array;
  /** The created submissions, in the order of the responses; at most MOST_SUBJECTS. */
  readonly created: readonly Subject[];
}

const MOST_SUBJECTS = 20_000;
const ANSWER_MS = 60_000;
const ID = /"(?:submission_id|id)":"([0-9a-f-]{36})"/;
const REFERENCE = /"external_reference":"([^"]*)"/;

process.on('disconnect', () => process.exit(0));
process.on('message', async (order: Order) => {
  process.send?.(await carryOut(order));
});

async function carryOut(order: Order): Promise<LoadReport> {
  const { origin, source, wanted, connections } = order;
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  const make = requestMaker(source);
  const refused: Record<string, number> = {};
  const created: Subject[] = [];
  const dueAt: number[] = [];
  const sentAt: number[] = [];
  const answeredAt: number[] = [];
  const refuse = (reason: string) => {
    refused[reason] = (refused[reason] ?? 0) + 1;
  };

  const send = async (number: number, due: number) => {
    dueAt[number] = due;
    sentAt[number] = monotonicMs();
    answeredAt[number] = Number.NaN;
    try {
      const answer = await pool.request(make(number));
      const text = await answer.body.text();
      if (answer.statusCode !== wanted)
        return refuse(`${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim());
      answeredAt[number] = monotonicMs();
      if (created.length < MOST_SUBJECTS) note(text, created);
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error));
    }
  };

  const started = monotonicMs();
  await (order.perSecond === undefined ? sendOn(order, send) : sendWhenDue(order, order.perSecond, send));
  const seconds = (monotonicMs() - started) / 1_000;
  await pool.destroy();
  const latencies = answeredAt.flatMap((at, number) => {
    return Number.isNaN(at) ? [] : [at - (dueAt[number] ?? 0)];
  });
  return {
    sent: sentAt.length,
    answered: latencies.length,
    refused,
    seconds,
    latencies: latenciesOf(latencies),
    sentLateP99: percentile(
      sentAt.map((at, number) => at - (dueAt[number] ?? 0)),
      0.99,
    ),
    dueAt: Float64Array.from(dueAt),
    answeredAt: Float64Array.from(answeredAt),
    created,
  };
}

type Send = (number: number, due: number) => Promise<void>;

/** Sends the next request of each connection when the previous one is answered. */
async function sendOn({ connections, seconds, atMost }: Order, send: Send): Promise<void> {
  const until = monotonicMs() + seconds * 1_000;
  let sent = 0;
  const one = async () => {
    for (let now = monotonicMs(); sent < atMost && now < until; now = monotonicMs()) {
      sent += 1;
      await send(sent - 1, now);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** Sends on schedule without waiting for responses, so that a slow service gets no relief. */
async function sendWhenDue({ seconds }: Order, perSecond: number, send: Send): Promise<void> {
  const start = monotonicMs();
  const total = perSecond * seconds;
  const under: Promise<void>[] = [];
  const dueAt = (number: number) => start + (number * 1_000) / perSecond;
  while (under.length < total) {
    while (under.length < total && dueAt(under.length) <= monotonicMs())
      under.push(send(under.length, dueAt(under.length)));
    await pause(Math.max(0, dueAt(under.length) - monotonicMs()));
  }
  await Promise.all(under);
}

function note(text: string, created: Subject[]): void {
  const [id, reference] = [ID.exec(text)?.[1], REFERENCE.exec(text)?.[1]];
  if (id !== undefined && reference !== undefined) created.push({ id, reference });
}

const latenciesOf = (values: readonly number[]): Latencies => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
  p999: percentile(values, 0.999),
});
