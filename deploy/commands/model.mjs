import { parseArgs } from 'node:util';
import { run as runTests } from './test.mjs';

/** Runs the test of the model for more steps, and with a chosen seed. Resolves to the exit code. */
export function run(machine, args) {
  const { values } = parseArgs({
    args,
    options: {
      steps: { type: 'string', default: '100000' },
      seed: { type: 'string' },
      running: { type: 'boolean', default: false },
    },
  });
  const { steps, seed, running } = values;
  const chosen = { MODEL_STEPS: steps, ...(seed && { MODEL_SEED: seed }) };
  const env = { ...machine.env, ...chosen };
  return runTests({ ...machine, env }, ['test/model/model.test.ts', ...(running ? ['--running'] : [])]);
}
