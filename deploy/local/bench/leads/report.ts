import type { Latencies } from './load-generator.ts';
import type { QueueStates } from './queues.ts';
import type { PerProcess } from './stack-usage.ts';

/** Everything that a run has measured; what it did not get to is missing. */
export interface LeadsReport {
  readonly startedAt: string;
  readonly bare: BareResults;
  /** The same once more when everything else is measured: a quiet machine gives the same figures. */
  readonly bareAgain: BareResults;
  readonly rounds: Round[];
}

export interface BareResults {
  inserts?: ClosedResult;
  selects?: ClosedResult;
}

/** All measurements with so many leads in the tables already. */
export interface Round {
  readonly label: 'empty' | 'full';
  readonly rows: number;
  burst?: BurstResult;
  replays?: ClosedResult;
  readsById?: ClosedResult;
  readsByReference?: ClosedResult;
  basic?: BurstResult;
  readonly rates: RateResult[];
  /** MiB at the end, by process. */
  memoryAfter?: PerProcess;
}

export interface ClosedResult {
  readonly perSecond: number;
  readonly answered: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly latencies: Latencies;
  /** CPU milliseconds for each answer, by process, until nothing was left to do. */
  readonly cpuMs: PerProcess;
}

export interface BurstResult extends ClosedResult {
  readonly drained: Drained;
}

/** Whether, and how soon, everything was done that followed from what was sent. */
export type Drained =
  | {
      /** From the last answer until no lead and no queue had anything left to do. */
      readonly drainMs: number;
    }
  | {
      /** Why nobody waited any longer. */
      readonly stalled: string;
    };

/** Leads at a steady pace, from the create to the last webhook. */
export interface RateResult {
  readonly drained: Drained;
  readonly perSecond: number;
  readonly seconds: number;
  readonly sent: number;
  readonly accepted: number;
  readonly refused: Readonly<Record<string, number>>;
  /** Of the 202, from when it was due. */
  readonly answers: Latencies;
  /** How late the load generator itself was. */
  readonly sentLateP99: number;
  /** Until the first webhook that tells the decision: from the arrival of the 202, and from when the create was due. */
  readonly answerToWebhook: Latencies;
  readonly dueToWebhook: Latencies;
  /** Until the webhook that tells how the lead is billed. */
  readonly dueToSettled: Latencies;
  readonly decided: number;
  readonly settled: number;
  /** CPU milliseconds for each lead that was decided, accepted in time or not, by process. */
  readonly cpuMs: PerProcess;
  /** The same of the load generator, the webhook receiver and the process that watches all of this. */
  readonly toolsCpuMs: PerProcess;
  readonly memory: { readonly before: PerProcess; readonly peak: PerProcess; readonly after: PerProcess };
  readonly samples: readonly Sample[];
}

/** The system at one moment of a run. */
export interface Sample {
  /** Since the start of the run. */
  readonly atMs: number;
  readonly queues: QueueStates;
  readonly decided: number;
  readonly settled: number;
  /** MiB by process; not in every sample, because it costs time to find out. */
  readonly memory?: PerProcess;
}
