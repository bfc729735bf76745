import { parseArgs } from 'node:util';

/** The options of `npm run drill`. */
export interface DrillOptions {
  /** Name of the drill. */
  readonly name: string;
  readonly json: boolean;
  /** Whether to send fewer submissions; the same promises are checked. */
  readonly short: boolean;
  /** Whether the parts use TLS between each other, as with `npm start -- --secure`. */
  readonly secure: boolean;
  /** Folder of the stack that is lost and restored; emptied before and after; relative to the checkout. */
  readonly state: string;
}

/** Parses the arguments. Throws an Error with a one-line message for unknown or invalid ones. */
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
  if (more.length > 0) throw new Error('give only one drill');
  if (!names.includes(name)) throw new Error(`unknown drill ${name}: must be ${names.join(' or ')}`);
  return { name, json: values.json, short: values.short, secure: values.secure, state: values.state };
}
