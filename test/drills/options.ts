import { parseArgs } from 'node:util';

/** What `npm run drill` was asked for. */
export interface DrillOptions {
  /** Name of the drill. */
  readonly name: string;
  readonly json: boolean;
  /** Whether fewer leads are sent: what is promised is looked at all the same. */
  readonly short: boolean;
  /** Whether the parts talk to each other over TLS, as with `npm start -- --secure`. */
  readonly secure: boolean;
  /** Folder of the stack that is lost and restored; emptied before and after; relative to the checkout. */
  readonly state: string;
}

/** Reads the arguments. Throws an Error with one line for what does not exist or does not fit. */
export function readDrillOptions(args: readonly string[], names: readonly string[]): DrillOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      secure: { type: 'boolean', default: false },
      state: { type: 'string', default: '.run/drill' },
    },
  });
  const [name = 'restore', ...more] = positionals;
  if (more.length > 0) throw new Error('one drill at a time');
  if (!names.includes(name)) throw new Error(`there is no drill ${name}; there are ${names.join(' and ')}`);
  return { name, json: values.json, short: values.short, secure: values.secure, state: values.state };
}
