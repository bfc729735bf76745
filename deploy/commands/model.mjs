import { parseArgs } from 'node:util';
import { run as runTests } from './test.mjs';

/** Runs the test of the model for more steps, and with another seed. Resolves to the exit code. */
export function run(machine, args) {
  const { values } = parseArgs({
    args,
    options: {
      steps: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      running: { type: 'boolean', default: false },
    },
  });
  const { steps, seed, running } = values;
  const env = { ...machine.env, MODEL_STEPS: steps, MODEL_SEED: seed };
  return runTests({ ...machine, env }, ['test/model/model.test.ts', ...(running ? ['--running'] : [])]);
}
