import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Certificates } from '../identity/make-certificates.ts';

/** What the receiver has seen since it was started. */
export interface ReceiverReport {
  readonly requests: number;
  readonly distinct: number;
  /** Of the requests whose signature was checked. */
  readonly genuine: number;
  readonly forged: number;
  /** First arrivals since the last report, if they are noted: event id and Unix time in milliseconds. */
  readonly arrivals: readonly (readonly [string, number])[];
  readonly leads: LeadCounts;
}

/** How far the leads of the series have come that the receiver follows. */
export interface LeadCounts {
  /** Of how many a webhook has told the decision. */
  readonly decided: number;
  /** Of how many a webhook has told how they are billed, which is the last there is to tell. */
  readonly settled: number;
}

/** When the first such webhook of each lead came, by its number; on the clock of monotonicMs, NaN where none has. */
export interface LeadArrivals {
  readonly decidedAt: Float64Array;
  readonly settledAt: Float64Array;
}

/** The measuring receiver, in a process of its own. */
export interface BenchReceiver {
  readonly url: string;
  /** Tells it the signing secrets, by path. */
  trust(secrets: Readonly<Record<string, string>>): void;
  noteArrivals(note: boolean): void;
  report(): Promise<ReceiverReport>;
  /** From now on notes when leads whose references are `SERIES-NUMBER` are first heard of; forgets earlier ones. */
  followLeads(series: string): void;
  leads(): Promise<LeadArrivals>;
  /** Its process id. */
  readonly pid: number;
  stop(): void;
}

/** How a side process is run, where it is not to be run as usual. */
export interface SideRuntime {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An hour is the longest that any order takes. */
const LONGEST_MS = 3_900_000;
const REPORT_MS = 60_000;
const USUAL_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=1024'];

/** Starts a process of this folder that talks over IPC, with large structures cloned instead of written as JSON. */
export function startSideProcess(file: string, args: readonly string[], runtime?: SideRuntime): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: [...(runtime?.flags ?? USUAL_FLAGS)],
    ...(runtime ? { env: runtime.env } : {}),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/**
 * Waits for the next message of a side process. Rejects when it ends instead, and when nothing has come within so many
 * milliseconds.
 */
export async function nextMessage<Message>(child: ChildProcess, withinMs = LONGEST_MS): Promise<Message> {
  const ended = new AbortController();
  const end = () => ended.abort(new Error('a process of the benchmark ended by itself'));
  const late = () => ended.abort(new Error(`a process of the benchmark said nothing for ${withinMs} ms`));
  const timer = setTimeout(late, withinMs);
  child.once('exit', end);
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return message;
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(timer);
    child.removeListener('exit', end);
  }
}

export async function startReceiver({ certificate, key }: Certificates): Promise<BenchReceiver> {
  const child = startSideProcess('receiver.ts', [certificate, key]);
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    url: `https://127.0.0.1:${port}`,
    trust: (secrets) => void child.send({ secrets }),
    noteArrivals: (noteArrivals) => void child.send({ noteArrivals }),
    async report() {
      const answer = nextMessage<ReceiverReport>(child, REPORT_MS);
      child.send({ report: true });
      return answer;
    },
    followLeads: (series) => void child.send({ followLeads: series }),
    async leads() {
      const answer = nextMessage<LeadArrivals>(child, REPORT_MS);
      child.send({ leads: true });
      return answer;
    },
    pid: child.pid ?? 0,
    stop: () => void child.kill(),
  };
}
