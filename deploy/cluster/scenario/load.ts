import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { percentile } from '../../local/bench/statistics.ts';
import type { Facts } from './progress.ts';

export interface LoadOrder {
  readonly origin: string;
  readonly credential: string;
  readonly perSecond: number;
  /** Connections that are kept; every other create has one of its own. */
  readonly keptAlive: number;
}

export interface SentCreate {
  readonly submissionId: string;
  readonly reference: string;
}

export interface LoadReport {
  readonly sent: number;
  readonly failed: number;
  /** When, on which kind of connection, and what came instead of a 202; of the first 200. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly created: readonly SentCreate[];
  /** Milliseconds from when each was due to its answer, shortest first. */
  readonly latencies: readonly number[];
}

/** Creates leads while something else is done. */
export interface Load {
  /** Rejects as `work` does; then with what failed, if only one create did. */
  during(order: LoadOrder, work: () => Promise<Facts>): Promise<{ facts: Facts; report: LoadReport }>;
  stop(): void;
}

/** Load before and after what is done under it. */
const AROUND_MS = 3_000;
const SHOWN = 10;

/** A process of its own, so that what measures has its pace whatever this one does. */
export function startLoad(): Load {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const around = () => new Promise((resolve) => setTimeout(resolve, AROUND_MS));
  return {
    async during(order, work) {
      const reported = once(child, 'message') as Promise<[LoadReport]>;
      child.send(order);
      let facts: Facts;
      try {
        await around();
        facts = await work();
        await around();
      } finally {
        child.send('stop');
      }
      const [report] = await reported;
      const told = { ...facts, ...factsOf(order, report) };
      if (report.failed > 0) {
        const shown = report.failures.slice(0, SHOWN).join('\n  ');
        throw new Error(`${report.failed} of ${report.sent} creates failed:\n  ${shown}`);
      }
      return { facts: told, report };
    },
    stop: () => void child.kill(),
  };
}

function factsOf({ perSecond }: LoadOrder, { sent, failed, seconds, latencies }: LoadReport): Facts {
  const ms = (part: number) => `${Math.round(percentile(latencies, part))} ms`;
  return {
    'creates a second, wanted': perSecond,
    'creates a second, sent': Math.round((sent / seconds) * 10) / 10,
    'creates sent': sent,
    'creates failed': failed,
    'answered within': `${ms(0.5)} p50, ${ms(0.99)} p99, ${ms(1)} max`,
  };
}
