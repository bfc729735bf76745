/** Command: `npm run sss:pack`. Packages the staff command line for npm. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../local/terminal.ts';
import { pack } from './pack.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join('.run', 'packages') },
      json: { type: 'boolean', default: false },
    },
  });
  const packed = await pack(CHECKOUT, resolve(CHECKOUT, values.out));
  if (values.json) console.log(JSON.stringify(packed, null, 2));
  else console.log(`${packed.file}  ${(packed.bytes / 1_024).toFixed(0)} KiB`);
});
