// The local stack: everything on this machine, as real processes, from one command. Started by bootstrap.mjs.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machineFault, withMachineFault } from '../commands/machine-faults.mjs';
import { readOptions } from './options.ts';
import { runStack } from './run-stack.ts';
import { CannotStart, reasonOf, terminal } from './terminal.ts';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

try {
  process.exitCode = await runStack(readOptions(process.argv.slice(2), checkout), checkout, terminal);
} catch (error) {
  const expected = error instanceof CannotStart || (error instanceof TypeError && 'code' in error);
  const line = machineFault(error) ?? (expected || !(error instanceof Error) ? reasonOf(error) : undefined);
  terminal.warn(withMachineFault(line ?? (error as Error).stack ?? reasonOf(error)));
  process.exitCode = 1;
}
// Client connections may still be open, but there is nothing left to wait for.
process.exit();
