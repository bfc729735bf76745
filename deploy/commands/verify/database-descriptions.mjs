import { FailedStep, observeProgram } from '../setup/run-program.mjs';

const PROGRAM = 'deploy/commands/schemas/main.ts';

/** Applies all migrations to an empty PostgreSQL and compares what they made with what is committed. */
export async function databaseDescriptionsAreFresh(machine) {
  const { code, output, reason } = await describe(machine, ['--check']);
  return { verdict: code === 0 ? 'passed' : 'failed', output: output || reason };
}

/** Writes the committed schemas again. Throws FailedStep when the migrations do not get that far. */
export async function writeDatabaseDescriptions(machine) {
  const { code, output, reason } = await describe(machine, []);
  if (code !== 0) throw new FailedStep(`${output}\ndescribing the databases: ${reason}`);
}

const describe = ({ root, env, node, nodeFlags }, args) =>
  observeProgram(node, [...nodeFlags, PROGRAM, ...args], { cwd: root, env });
