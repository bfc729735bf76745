// Adds sample data to a running stack. Arguments: its stack.json, the file that remembers what was added, and the number
// of submissions.
import { dirname, join } from 'node:path';
import { readJsonIfPresent } from '../state/private-file.ts';
import { runCommand, terminal } from '../terminal.ts';
import { addSampleData } from './add-sample-data.ts';
import type { StackAddresses } from './staff.ts';

const [stackFile = '', file = '', submissions] = process.argv.slice(2);
const count = Number(submissions);

await runCommand(async () => {
  if (!Number.isInteger(count) || count < 1)
    throw new Error('usage: main.ts STACK_FILE SAMPLE_DATA_FILE COUNT, with a COUNT of at least 1');
  const stack = readJsonIfPresent(stackFile) as StackAddresses | undefined;
  if (!stack) throw new Error(`no stack runs at ${stackFile}: start one with npm start`);
  await addSampleData({ stack, identity: join(dirname(stackFile), 'identity'), file, terminal, count });
});
