import { nextMessage, startSideProcess } from '../side-processes.ts';
import type { LoadReport, Order } from './load-generator.ts';

/** The process that sends requests. */
export interface Generator {
  /** Throws when not one answer was as it should be. */
  carryOut(order: Order): Promise<LoadReport>;
  readonly pid: number;
  stop(): void;
}

/** What is under way when the time is over still has its own bound. */
const BEYOND_MS = 60_000;

export function startGenerator(): Generator {
  const child = startSideProcess('leads/load-generator.ts', []);
  return {
    async carryOut(order) {
      const answer = nextMessage<LoadReport>(child, order.load.seconds * 1_000 + BEYOND_MS);
      child.send(order);
      const report = await answer;
      if (report.answered === 0)
        throw new Error(
          `no ${order.source.kind} was answered with ${order.wanted}: ${JSON.stringify(report.refused)}`,
        );
      return report;
    },
    pid: child.pid ?? 0,
    stop: () => void child.kill(),
  };
}
