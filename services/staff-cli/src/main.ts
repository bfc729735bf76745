// Entry point of the staff command line, started by bin/sss.mjs.
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { readSettings } from './config.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit-codes.ts';
import { processTerminal } from './output/terminal.ts';
import { buildProgram } from './program.ts';
import { withVersionFlag } from './version-command.ts';

const terminal = processTerminal(process);
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interruption.abort());
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has closed it: `sss … | head`.
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  terminal.note(`error: cannot write the output: ${error.message}`);
  terminal.note('  If the command changes something, it may be done: check before you repeat it.');
  process.exit(exitCodes.failed);
});
// Notes that can't be written must not end a command.
process.stderr.on('error', () => {});

process.exitCode = await run();

async function run(): Promise<ExitCode> {
  try {
    const { signal } = interruption;
    const sleep = (ms: number) =>
      delay(ms, undefined, { signal }).catch(() => {
        throw new CommandFailure(exitCodes.interrupted, 'interrupted');
      });
    const runtime = { settings: readSettings(), terminal, now: () => new Date(), signal, sleep };
    const words = withVersionFlag(process.argv.slice(2));
    await buildProgram(runtime).parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): ExitCode {
  // Commander has already printed the error or the requested help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof CommandFailure) {
    terminal.note(`error: ${error.message}`);
    for (const detail of error.details) terminal.note(`  ${detail}`);
    return error.exitCode;
  }
  // The operating system refused something, such as a file: no defect of the command line.
  if (error instanceof Error && 'syscall' in error) {
    terminal.note(`error: ${error.message}`);
    return exitCodes.failed;
  }
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return exitCodes.failed;
}
