// Command: node deploy/cluster/node/trial/trial.ts FOLDER CHECKOUT. Runs the trial in namespaces of its own.
import { join } from 'node:path';
import { runInOwnNamespaces } from '../own-namespaces.ts';

const program = join(import.meta.dirname, 'trial-process.ts');
process.exitCode = await runInOwnNamespaces([
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  program,
  ...process.argv.slice(2),
]);
