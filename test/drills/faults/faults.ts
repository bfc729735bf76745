import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Findings } from '../findings.ts';
import type { Stage } from '../stage.ts';
import { setupOf } from '../stores/store-faults.ts';
import { usualLoad } from './clients.ts';
import type { Evidence } from './evidence.ts';
import type { FaultName } from './nemesis.ts';
import { observe, openSystem } from './observe.ts';
import { rules, violations } from './rules.ts';

/** Longer than the third retry of a webhook that failed twice. */
const RECOVERY_MS = 240_000;
/** Longer than a process can hang while it sends a webhook. */
const IN_FLIGHT_MS = 30_000;

export interface FaultOptions {
  /** Chooses what clients do and which faults occur. */
  readonly seed: number;
  readonly minutes: number;
  readonly replicas: number;
  /** The faults that may occur; undefined for all that the machine and the seed offer. */
  readonly only?: readonly FaultName[] | undefined;
}

/**
 * Lets suppliers and staff work for some minutes while faults occur, waits until the system has recovered, and checks
 * what they saw and what the databases contain. Writes the history to `.run/faults-SEED.json` when a rule is broken.
 */
export async function runFaults(stage: Stage, options: FaultOptions, out: Findings): Promise<void> {
  const { seed, minutes, replicas: count, only } = options;
  const { progress } = stage;
  progress(`seed ${seed}, ${minutes} minutes, ${count} of each process`);
  const setup = setupOf(stage, seed, only);
  const system = await openSystem(stage, seed, count, stage.checkout, setup);
  try {
    const plan = {
      ...{ seed, durationMs: minutes * 60_000, load: usualLoad(minutes), refused: 0.1 },
      faults: only ? { only } : {},
      ...{ inFlightMs: IN_FLIGHT_MS, recoveryMs: RECOVERY_MS },
    };
    const { evidence, faults, recoveryMs } = await observe(system, plan, progress);
    for (const [name, times] of Object.entries(faults)) out.measured(`fault ${name}`, times, 'times');
    out.measured('recovery', recoveryMs / 1_000, 's');
    report(evidence, out);
    if (violations(evidence).size > 0) {
      const file = join(stage.checkout, '.run', `faults-${seed}.json`);
      writeFileSync(file, JSON.stringify(evidence, undefined, 1));
      progress(`the history is in ${file}`);
    }
  } finally {
    await system.stop();
  }
}

function report(evidence: Evidence, out: Findings): void {
  const { requests, submissions, deliveries } = evidence;
  const broken = violations(evidence);
  const looked = `${requests.length} requests, ${submissions.length} submissions, ${deliveries.length} deliveries`;
  out.found('something was checked', submissions.length > 0 && deliveries.length > 0, looked);
  for (const promise of Object.keys(rules)) out.none(promise, broken.get(promise) ?? [], 'no exception');
  const statuses = Map.groupBy(submissions, ({ status }) => status);
  for (const [status, all] of statuses) out.measured(`submissions ${status}`, all.length, 'submissions');
}
