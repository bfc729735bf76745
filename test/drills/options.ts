import { parseArgs } from 'node:util';
import { FAULT_NAMES, type FaultName } from './faults/nemesis.ts';

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
  /** Only for faults: chooses what clients do and which faults occur. */
  readonly seed: number;
  /** Only for faults: how long faults occur. */
  readonly minutes: number;
  /** Only for faults: how many processes of each kind run. */
  readonly replicas: number;
  /** Only for faults: those that may occur; undefined for all that the machine and the seed offer. */
  readonly only: readonly FaultName[] | undefined;
  /** Only for faults: the bugs to plant, all if empty; undefined to run without any. */
  readonly planted: readonly string[] | undefined;
}

const MAX_MINUTES = 600;
const MAX_REPLICAS = 3;
const MAX_SEED = 1_000_000;

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
      seed: { type: 'string' },
      minutes: { type: 'string' },
      replicas: { type: 'string' },
      only: { type: 'string' },
      planted: { type: 'boolean' },
    },
  });
  const [name = 'restore', ...more] = positionals;
  if (more.length > 0 && !values.planted) throw new Error('give only one drill');
  if (!names.includes(name)) throw new Error(`unknown drill ${name}: must be ${names.join(' or ')}`);
  const { json, short, secure, state, ...ofFaults } = values;
  if (name !== 'faults' && Object.values(ofFaults).some((value) => value !== undefined))
    throw new Error('--seed, --minutes, --replicas, --only and --planted are only for faults');
  if (values.planted && (values.minutes ?? values.replicas ?? values.only) !== undefined)
    throw new Error('with --planted, each bug has its own duration, replicas and faults');
  const { seed = String((Date.now() % MAX_SEED) + 1), minutes = '1', replicas = '2' } = ofFaults;
  return {
    ...{ name, json, short, secure, state },
    seed: readNumber('seed', seed, MAX_SEED),
    minutes: readNumber('minutes', minutes, MAX_MINUTES),
    replicas: readNumber('replicas', replicas, MAX_REPLICAS),
    only: ofFaults.only?.split(',').map(readFault),
    planted: ofFaults.planted ? more : undefined,
  };
}

function readFault(name: string): FaultName {
  const fault = FAULT_NAMES.find((known) => known === name);
  if (!fault) throw new Error(`unknown fault ${name}: must be ${FAULT_NAMES.join(', ')}`);
  return fault;
}

function readNumber(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (!/^\d{1,7}$/.test(text) || number < 1 || number > most)
    throw new Error(`--${flag} must be an integer from 1 to ${most}`);
  return number;
}
