/** Command: `npm run trial-issuer`. Creates an issuer of staff tokens for a trial release. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writePrivateFile, writePrivateJson } from '../state/private-file.ts';
import { runCommand } from '../terminal.ts';
import { issuersFile, openTokenIssuer, staffIssuersOf } from './token-issuer.ts';

const here = process.env.INIT_CWD ?? process.cwd();

await runCommand(async () => {
  const { values } = parseArgs({ options: { to: { type: 'string', default: join('.run', 'trial') } } });
  const folder = resolve(here, values.to);
  const issuer = await openTokenIssuer(folder);
  writePrivateJson(join(folder, 'values.json'), {
    staffIssuers: staffIssuersOf(readFileSync(issuersFile(folder), 'utf8')),
  });
  writePrivateFile(join(folder, 'token'), await issuer.staffToken());
  const shown = (name: string) => relative(here, join(folder, name));
  console.log(`values for helm: ${shown('values.json')}; a token for 12 hours: ${shown('token')}`);
});
