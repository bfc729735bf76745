import { parseArgs } from 'node:util';

/** What `npm run bench` was asked for. */
export interface BenchOptions {
  /** Name of the benchmark; undefined with `--list`. */
  readonly name: string | undefined;
  readonly json: boolean;
  /** Whether a missed target ends the command with 1. */
  readonly check: boolean;
  readonly deliveries: number;
  /** Numbers of endpoints, one run for each. */
  readonly endpoints: readonly number[];
  /** How long something goes on, where a benchmark is not to take its usual time. */
  readonly seconds: number | undefined;
  /** Leads a second, one run for each, where a benchmark is not to take its usual ones. */
  readonly rates: readonly number[] | undefined;
  /** How many leads are put into the tables for a second round of measurements; 0: there is none. */
  readonly rows: number;
  /** Whether everything is done for a moment only: it shows that it works, and not how fast. */
  readonly short: boolean;
  /** Whether the parts talk to each other over TLS, as with `npm start -- --secure`. */
  readonly secure: boolean;
  /** The share of requests whose traces are exported, above 0 and up to 1; undefined: nothing is traced. */
  readonly tracedShare: number | undefined;
  /** Folder that reports are written to; relative to the checkout. */
  readonly out: string;
  /** Folder for the databases, forgotten afterwards; relative to the checkout. */
  readonly state: string;
}

const LARGEST = {
  deliveries: 10_000_000,
  endpoints: 1_000,
  seconds: 3_600,
  rates: 100_000,
  rows: 10_000_000,
};

/** Reads the arguments. Throws an Error with one line for what does not exist or does not fit. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      deliveries: { type: 'string', default: '50000' },
      endpoints: { type: 'string', default: '1,20' },
      seconds: { type: 'string' },
      rates: { type: 'string' },
      rows: { type: 'string' },
      short: { type: 'boolean', default: false },
      secure: { type: 'boolean', default: false },
      traced: { type: 'string' },
      out: { type: 'string', default: '.run' },
      state: { type: 'string', default: '.run/bench' },
    },
  });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new Error('one benchmark at a time');
  if (!values.list && name === undefined) throw new Error('name a benchmark; --list shows them');
  return {
    name: values.list ? undefined : name,
    json: values.json,
    check: values.check,
    deliveries: whole('--deliveries', values.deliveries, LARGEST.deliveries),
    endpoints: values.endpoints.split(',').map((text) => whole('--endpoints', text, LARGEST.endpoints)),
    seconds: values.seconds === undefined ? undefined : whole('--seconds', values.seconds, LARGEST.seconds),
    rates: values.rates?.split(',').map((text) => whole('--rates', text, LARGEST.rates)),
    rows: values.rows === undefined ? 0 : whole('--rows', values.rows, LARGEST.rows),
    short: values.short,
    secure: values.secure,
    tracedShare: values.traced === undefined ? undefined : share('--traced', values.traced),
    out: values.out,
    state: values.state,
  };
}

function share(flag: string, text: string): number {
  const value = Number(text);
  if (!/^[\d.]+$/.test(text) || !(value > 0 && value <= 1))
    throw new Error(`${flag} is a number above 0 and up to 1, not ${text}`);
  return value;
}

function whole(flag: string, text: string, largest: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > largest)
    throw new Error(`${flag} is a whole number from 1 to ${largest}, not ${text}`);
  return value;
}
