// Adds sample data to a running stack. Arguments: its stack.json, the file that remembers what was added, and the number
// of submissions.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openTokenIssuer } from '../identity/token-issuer.ts';
import { runCommand, terminal } from '../terminal.ts';
import { addSampleData } from './add-sample-data.ts';
import type { StackAddresses } from './staff.ts';

const TOKEN_MINUTES = 10;
const [stackFile = '', file = '', count] = process.argv.slice(2);

await runCommand(async () => {
  const issuer = await openTokenIssuer(join(dirname(stackFile), 'identity'));
  await addSampleData({
    stack: JSON.parse(readFileSync(stackFile, 'utf8')) as StackAddresses,
    tokenOf: (name) => issuer.staffTokenOf({ name, roles: ['staff:admin'] }, TOKEN_MINUTES),
    ...{ file, terminal, count: Number(count) },
  });
});
