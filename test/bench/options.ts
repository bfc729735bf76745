import { parseArgs } from 'node:util';

/** The options of `npm run bench`. */
export type BenchOptions = ReturnType<typeof readBenchOptions>;

const LARGEST = { deliveries: 10_000_000, seconds: 3_600, rates: 100_000, rows: 10_000_000 };

/** Parses the flags. Throws an Error with a one-line message if they are invalid. */
export function readBenchOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      deliveries: { type: 'string', default: '50000' },
      seconds: { type: 'string', default: '15' },
      rates: { type: 'string', default: '20,200,500' },
      rows: { type: 'string' },
      short: { type: 'boolean', default: false },
      secure: { type: 'boolean', default: false },
      traced: { type: 'boolean', default: false },
      state: { type: 'string', default: '.run/bench' },
    },
  });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new Error('give only one benchmark');
  if (!values.list && name === undefined) throw new Error('give a benchmark; --list shows them');
  return {
    /** Name of the benchmark; undefined with `--list`. */
    name: values.list ? undefined : name,
    json: values.json,
    /** Whether a missed target makes the command exit with 1. */
    check: values.check,
    deliveries: whole('--deliveries', values.deliveries, LARGEST.deliveries),
    /** The duration of each submission rate. */
    seconds: whole('--seconds', values.seconds, LARGEST.seconds),
    /** Submissions per second, one run for each. */
    rates: values.rates.split(',').map((text) => whole('--rates', text, LARGEST.rates)),
    /** The number of submissions inserted into the tables; 0 for none. */
    rows: values.rows === undefined ? 0 : whole('--rows', values.rows, LARGEST.rows),
    /** Whether to run everything only briefly: shows that it works, not how fast. */
    short: values.short,
    secure: values.secure,
    traced: values.traced,
    /** Folder for the stack's state, removed afterwards; relative to the checkout. */
    state: values.state,
  };
}

function whole(flag: string, text: string, largest: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > largest)
    throw new Error(`${flag} must be a whole number from 1 to ${largest}, not ${text}`);
  return value;
}
