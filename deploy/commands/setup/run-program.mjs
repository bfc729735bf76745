import { spawn } from 'node:child_process';

/** A failed step. The message is for the user. */
export class FailedStep extends Error {}

/** Runs a program and shows its output only when it fails. Throws FailedStep if it fails or takes longer than `withinMs`. */
export async function runProgram(says, command, args, { cwd, env, withinMs = 600_000 }) {
  const outcome = await observeProgram(command, args, { cwd, env, withinMs });
  if (outcome.code !== 0)
    throw new FailedStep(`${outcome.output.trimEnd()}\n${says}: ${outcome.reason}`.trimStart());
}

/** Runs a program. Resolves to `{code, output, reason}`, with at most 1 MiB of output. */
export function observeProgram(command, args, { cwd, env, withinMs = 600_000 }) {
  return new Promise((resolve) => {
    const chunks = [];
    let kept = 0;
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    const keep = (chunk) => {
      if (kept < 1 << 20) chunks.push(chunk);
      kept += chunk.length;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const finish = (code, reason) => {
      clearTimeout(timer);
      resolve({ code, reason, output: Buffer.concat(chunks).toString('utf8') });
    };
    child.once('error', (error) => finish(127, `cannot run ${command}: ${error.message}`));
    child.once('close', (code, signal) =>
      finish(code ?? 1, code === null ? `ended by ${signal}` : `exit code ${code}`),
    );
  });
}
