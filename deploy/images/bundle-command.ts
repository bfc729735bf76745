/** Command: `npm run bundle`. Writes the files of every image, ready to be copied onto a base image with Node. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../local/terminal.ts';
import { type Bundle, bundle } from './bundle.ts';
import { everyTarget } from './targets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: {
      out: { type: 'string', default: join('.run', 'images') },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !everyTarget.some((target) => target.name === name));
  if (unknown.length > 0)
    throw new Error(
      `unknown image ${unknown.join(', ')}: must be one of ${everyTarget.map(({ name }) => name).join(', ')}`,
    );
  const chosen = everyTarget.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const made: Bundle[] = [];
  for (const target of chosen) {
    const result = await bundle(CHECKOUT, target, resolve(CHECKOUT, values.out));
    made.push(result);
    if (!values.json) console.log(line(result));
  }
  if (values.json) console.log(JSON.stringify(made, null, 2));
});

function line({ name, bytes, packages, folder }: Bundle): string {
  const size = `${(bytes / 1_048_576).toFixed(1)} MiB`;
  return `${name.padEnd(12)}${size.padStart(9)}  ${packages.length} packages  ${folder}`;
}
