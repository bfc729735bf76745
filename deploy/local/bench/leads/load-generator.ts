// Sends requests as fast as they are answered, or at a steady pace, and reports what became of them. Spoken to over IPC.
import { openLoop, type Pace } from '../open-loop.ts';
import { percentile } from '../statistics.ts';
import { type Answer, openConnections } from './http-connections.ts';
import { monotonicMs } from './monotonic.ts';
import { type RequestSource, requestWriter, type Subject } from './requests.ts';

export interface Order {
  readonly origin: string;
  readonly source: RequestSource;
  /** The status of an answer that counts. */
  readonly wanted: number;
  readonly connections: number;
  readonly load: ClosedLoad | OpenLoad;
}

/** Each connection sends the next request when the last was answered, for so long, and at most so many in all. */
export interface ClosedLoad {
  readonly loop: 'closed';
  readonly seconds: number;
  readonly atMost: number;
}

/** Requests are sent when they are due. */
export interface OpenLoad extends Pace {
  readonly loop: 'open';
}

/** Milliseconds. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface LoadReport {
  readonly sent: number;
  /** Answers of the wanted status. */
  readonly answered: number;
  /** Everything else, by what came instead: a status, or what broke. */
  readonly refused: Readonly<Record<string, number>>;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Of wanted answers: from when the request was due, which in a closed loop is when it was sent. */
  readonly latencies: Latencies;
  /** What an open loop could not send in time. */
  readonly sentLateP99: number;
  /** In an open loop, by number: when each request was due and when its wanted answer came (NaN: it did not). */
  readonly dueAt: Float64Array;
  readonly answeredAt: Float64Array;
  /** What was created, in the order of the answers; at most MOST_SUBJECTS. */
  readonly created: readonly Subject[];
}

const MOST_SUBJECTS = 20_000;
const ID = /"(?:submission_id|id)":"([0-9a-f-]{36})"/;
const REFERENCE = /"external_reference":"([^"]*)"/;

process.on('disconnect', () => process.exit(0));
process.on('message', async (order: Order) => {
  process.send?.(await carryOut(order));
});

async function carryOut({ origin, source, wanted, connections, load }: Order): Promise<LoadReport> {
  const pool = openConnections(origin, connections);
  const write = requestWriter(source);
  const refused: Record<string, number> = {};
  const created: Subject[] = [];
  const latencies: number[] = [];
  const late: number[] = [];
  const dueAt: number[] = [];
  const answeredAt: number[] = [];
  let answered = 0;

  const note = (answer: Answer): boolean => {
    if (answer.status !== wanted) {
      count(refused, `${answer.status} ${/"code":"(\w+)"/.exec(answer.body)?.[1] ?? ''}`.trim());
      return false;
    }
    answered += 1;
    const id = created.length < MOST_SUBJECTS ? ID.exec(answer.body)?.[1] : undefined;
    const reference = id === undefined ? undefined : REFERENCE.exec(answer.body)?.[1];
    if (id !== undefined && reference !== undefined) created.push({ id, reference });
    return true;
  };

  const started = monotonicMs();
  let sent = 0;
  if (load.loop === 'open') {
    const outcomes = await openLoop(load, async (number) => {
      const answer = await pool.send((connection) => write(number, connection));
      if (note(answer)) answeredAt[number] = monotonicMs();
    });
    sent = outcomes.length;
    for (const [number, { latencyMs, lateMs, failure }] of outcomes.entries()) {
      const at = answeredAt[number];
      late.push(lateMs);
      if (failure !== undefined) count(refused, failure);
      if (at === undefined) continue;
      latencies.push(latencyMs);
      dueAt[number] = at - latencyMs;
    }
  } else {
    const until = started + load.seconds * 1_000;
    const sendOn = async () => {
      while (sent < load.atMost && monotonicMs() < until) {
        const number = sent;
        sent += 1;
        const sentAt = monotonicMs();
        try {
          const answer = await pool.send((connection) => write(number, connection));
          if (note(answer)) latencies.push(monotonicMs() - sentAt);
        } catch (error) {
          count(refused, error instanceof Error ? error.message : String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: connections }, sendOn));
  }
  const seconds = (monotonicMs() - started) / 1_000;
  pool.close();
  return {
    sent,
    answered,
    refused,
    seconds,
    latencies: latenciesOf(latencies),
    sentLateP99: percentile(late, 0.99),
    dueAt: dense(dueAt),
    answeredAt: dense(answeredAt),
    created,
  };
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

function latenciesOf(values: readonly number[]): Latencies {
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99), p999: percentile(values, 0.999) };
}

function dense(times: readonly number[]): Float64Array {
  return Float64Array.from({ length: times.length }, (_, index) => times[index] ?? Number.NaN);
}
