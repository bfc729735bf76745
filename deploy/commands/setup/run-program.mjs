import { spawn } from 'node:child_process';
import { describeExit, withMachineFault } from '../machine-faults.mjs';

const MAX_OUTPUT = 1 << 20;

/** A failed step. The message is for the user. */
export class FailedStep extends Error {}

/** Runs a program and shows its output only when it fails. Throws FailedStep if it fails or takes longer than `withinMs`. */
export async function runProgram(failure, command, args, options) {
  const { code, output, reason } = await observeProgram(command, args, options);
  if (code !== 0)
    throw new FailedStep(withMachineFault(`${output.trimEnd()}\n${failure}: ${reason}`.trimStart()));
}

/**
 * Runs a program; kills it when its time is over or this process exits. Never rejects. Resolves to `{code, output, reason}`: 127 if
 * it can't be run, 1 after a signal; the last 1 MiB of output; how it ended. With `group`, kills what it has started too.
 */
export function observeProgram(command, args, { cwd, env, withinMs = 600_000, group = false }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: group });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    let isLate = false;
    const kill = () => {
      try {
        process.kill(group ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // It has ended in the meantime, or never started.
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, withinMs);
    process.once('exit', kill);
    const finish = (code, reason) => {
      clearTimeout(timer);
      process.removeListener('exit', kill);
      resolve({ code, output, reason });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(127, `cannot run ${command}: ${error.message}`);
    });
    child.once('close', (code, signal) =>
      finish(code ?? 1, isLate ? `took longer than ${withinMs / 1_000} s` : describeExit(code, signal)),
    );
  });
}
