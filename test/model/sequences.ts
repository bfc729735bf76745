import fc from 'fast-check';
import { startReceiver } from '../harness/endpoints.ts';
import * as model from './model.ts';
import { ofStaff } from './of-staff.ts';
import { ofSuppliers, suppliers } from './of-suppliers.ts';
import type { Operation, Rules, Run } from './operations.ts';
import { compareOutcomes } from './outcomes.ts';
import { openWorld } from './world.ts';

/** Sequences that run at the same time, each with its own suppliers and customers. */
const LANES = 10;
/** The most operations of a sequence; operations that do not apply are left out. */
const MAX_OPERATIONS = 50;

const utcDay = () => new Date().toISOString().slice(0, 10);

/** A difference that only a timeout shows takes long to shorten: after this time the shortest list so far counts. */
const BOUND = { interruptAfterTimeLimit: 180_000, markInterruptAsFailure: true };

/** Most operations need submissions, and accepted basic ones allow the most. */
const { create, promote, correct, ...others } = ofSuppliers;
const OFTEN = [create, create, create, create, create, promote, promote, correct, correct, ofStaff.decide];
const ALL = [...OFTEN, ...Object.values(others), ...Object.values(ofStaff)];

export interface Sequences {
  /** How many operations must agree with the model before the run ends. */
  readonly steps: number;
  /** Chooses the first sequence; each further one has the next seed. */
  readonly seed: number;
  readonly rules?: Rules;
  readonly lanes?: number;
  /** Whether to look for the shortest list of operations that shows a difference. */
  readonly shrinks?: boolean;
  readonly operations?: readonly fc.Arbitrary<Operation>[];
}

/**
 * Runs random sequences of operations against the services and the model. Throws at the first disagreement with its
 * seed, its path and the shortest list of operations that shows it. Resolves to a summary.
 */
export async function runSequences({
  steps,
  seed,
  rules = model,
  lanes: count = steps < MAX_OPERATIONS ? 1 : LANES,
  shrinks = process.env.MODEL_SHRINKS !== 'no',
  operations = ALL,
}: Sequences): Promise<string> {
  const receiver = await startReceiver();
  const began = performance.now();
  const done = { steps: 0, sequences: 0, hasFailed: false };
  const lane = async () => {
    while (done.steps < steps && !done.hasFailed) {
      const next = seed + done.sequences++;
      const today = utcDay();
      const checked = fc.assert(
        fc.asyncProperty(
          suppliers,
          fc.commands([...operations], { maxCommands: MAX_OPERATIONS, size: 'max' }),
          async (those, commands) => {
            const state = { suppliers: those, submissions: [], keys: {}, documents: [], approvals: [] };
            const run: Run = { rules, state, steps: 0 };
            const world = await openWorld(those, receiver);
            await fc.asyncModelRun(() => ({ model: run, real: world }), commands);
            await compareOutcomes(world, run.state);
            done.steps += run.steps;
          },
        ),
        { ...BOUND, seed: next, numRuns: 1, endOnFailure: !shrinks, includeErrorInReport: true },
      );
      // At midnight the counts of daily caps start again, in the middle of the sequence.
      await checked.catch((error: unknown) => {
        if (utcDay() === today) throw error;
      });
    }
  };
  const lanes = Array.from({ length: count }, () =>
    lane().catch((error: unknown) => {
      done.hasFailed = true;
      throw error;
    }),
  );
  try {
    await Promise.all(lanes);
  } finally {
    await Promise.allSettled(lanes);
    await receiver.close();
  }
  const perSecond = Math.round((done.steps * 1_000) / (performance.now() - began));
  return `${done.steps} operations in ${done.sequences} sequences from seed ${seed}, ${perSecond} a second`;
}
