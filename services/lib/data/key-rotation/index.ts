import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { FLAG, print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, postgresUrl, readCommandEnvironment, text } from '../../runtime/config/index.ts';
import type { Logger } from '../../runtime/log/index.ts';
import { type KeyPurpose, KeyRing } from '../crypto/index.ts';
import { withCommandPool } from '../postgres/index.ts';
import { keysInUse, retireKeys } from './keys-in-use.ts';
import type { RotatedValues } from './rotated-table.ts';

export { requireKeysInUse, retireKeys } from './keys-in-use.ts';
export {
  type KeyCount,
  type RotatedDigests,
  type RotatedTable,
  type RotatedValues,
  type Rotation,
  rotatedTable,
} from './rotated-table.ts';

const USAGE = `usage: rotate-keys [--status | --dry-run] [--json]
  Rewrites every sealed value and digest in the database of SSS_DATABASE_URL with the primary keys of SSS_KEY_RING_FILE
  while the service runs, then lists the keys that are no longer needed. Run it when every replica has this key ring.
  An interrupted run continues where it stopped, and concurrent runs share the work. SSS_DATABASE_URL must have the
  migrating role, because the service's role may not rewrite everything.
  --status   only counts the values of each key
  --dry-run  changes nothing, but opens and reseals the values of other keys, and reports what would fail
  --json     prints the result as one line of JSON
  Exits with 1 unless all values use the primary keys (with --dry-run: unless nothing would fail).`;

/** Rows that are locked during one pass are retried in the next. */
const MAX_PASSES = 20;
const BETWEEN_PASSES_MS = 500;
const PROGRESS_MS = 5_000;
const MAX_FAILURES_LOGGED = 20;

/** Returns the tables that contain a service's values. */
export type ValuesOf = (parts: { pool: pg.Pool; ring: KeyRing }) => readonly RotatedValues[];

/** The number of values under a key, and whether the key can be removed. */
interface KeyReport {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly primary: boolean;
  readonly inRing: boolean;
  readonly values: number;
  readonly fixed: number;
}

interface Report {
  readonly rewritten: number;
  readonly failed: number;
  readonly keys: readonly KeyReport[];
}

/** Runs a service's command: `node services/<service>/src/rotate-keys.ts [--status | --dry-run] [--json]`. */
export function runRotateKeysCommand(service: string, valuesOf: ValuesOf): void {
  const name = `${service}-rotate-keys`;
  runCommand(name, { usage: USAGE, flags: FLAGS }, async (options, log) => {
    if (options.status && options['dry-run']) throw new ConfigError(USAGE);
    const env = readCommandEnvironment({
      SSS_DATABASE_URL: postgresUrl(),
      SSS_KEY_RING_FILE: text(),
    });
    const ring = KeyRing.fromFile(env.SSS_KEY_RING_FILE);
    const progress = options.json ? () => {} : (line: string) => print(`${service}: ${line}`);
    const report = await withCommandPool(env.SSS_DATABASE_URL, name, (pool) =>
      rotate({ pool, ring, log, progress, ...options }, valuesOf({ pool, ring })),
    );
    print(options.json ? JSON.stringify({ service, ...report }) : summary(service, report, options));
    const done = options['dry-run'] ? report.failed === 0 : report.keys.every(isDone);
    if (!done) process.exit(1);
  });
}

const FLAGS = { status: FLAG, 'dry-run': FLAG, json: FLAG };
type Options = Readonly<Record<keyof typeof FLAGS, boolean>>;

interface Parts extends Options {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly log: Logger;
  readonly progress: (line: string) => void;
}

async function rotate(parts: Parts, values: readonly RotatedValues[]): Promise<Report> {
  const { pool, ring, status } = parts;
  const known = [...ring.all, ...(await keysInUse(pool))];
  if (status) return { rewritten: 0, failed: 0, keys: await countKeys(known, values) };
  const passes = parts['dry-run'] ? 1 : MAX_PASSES;
  let rewritten = 0;
  for (let number = 1; ; number += 1) {
    const pass = await passOver(parts, values);
    rewritten += pass.rewritten;
    const keys = await countKeys(known, values);
    const isLeft = keys.some((key) => !key.primary && key.values > key.fixed);
    if (!isLeft || number === passes || (pass.rewritten === 0 && pass.failed > 0)) {
      if (!parts['dry-run']) await retireKeys(pool, keys.filter(isUnneeded));
      return { rewritten, failed: pass.failed, keys };
    }
    await pause(BETWEEN_PASSES_MS);
  }
}

async function passOver({ log, progress, ...options }: Parts, values: readonly RotatedValues[]) {
  let [rewritten, failed, said] = [0, 0, performance.now()];
  for (const { name, rewrite } of values) {
    await rewrite({
      dryRun: options['dry-run'],
      rewritten(count) {
        rewritten += count;
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        progress(`${rewritten} rows so far, now in ${name}`);
      },
      failed(where, err) {
        failed += 1;
        if (failed <= MAX_FAILURES_LOGGED) log.error({ err, row_id: where }, 'value could not be rotated');
      },
    });
  }
  return { rewritten, failed };
}

/** Reports the known keys and any other keys that values are under. */
async function countKeys(
  known: readonly { purpose: KeyPurpose; id: string; primary?: boolean }[],
  values: readonly RotatedValues[],
): Promise<KeyReport[]> {
  const reports = new Map<string, KeyReport>();
  const add = (key: { purpose: KeyPurpose; id: string }, more: Partial<KeyReport>) => {
    const name = `${key.purpose} ${key.id}`;
    const before = reports.get(name) ?? { ...key, primary: false, inRing: false, values: 0, fixed: 0 };
    reports.set(name, { ...before, ...more });
    return before;
  };
  for (const { purpose, id, primary } of known) {
    const before = add({ purpose, id }, {});
    if (primary !== undefined) add(before, { primary, inRing: true });
  }
  for (const holder of values) {
    for (const { purpose, id, values: count, fixed } of await holder.count()) {
      const before = add({ purpose, id }, {});
      add(before, { values: before.values + count, fixed: before.fixed + fixed });
    }
  }
  return [...reports.values()];
}

const isUnneeded = ({ primary, values }: KeyReport) => !primary && values === 0;
const isDone = (key: KeyReport) => key.primary || isUnneeded(key);

function summary(service: string, { rewritten, failed, keys }: Report, options: Options): string {
  const would = options['dry-run'] ? 'would be ' : '';
  const work = options.status ? [] : [`${rewritten} rows ${would}rewritten, ${failed} values failed`];
  return [...work, ...keys.map(keyLine)].map((line) => `${service}: ${line}`).join('\n');
}

function keyLine({ purpose, id, primary, inRing, values, fixed }: KeyReport): string {
  const what = `${purpose} ${id}: ${values} values`;
  if (primary) return `${what}, primary`;
  if (values === 0) return `${what}, ${inRing ? 'can be removed from the ring' : 'not in the ring'}`;
  if (!inRing) return `${what}, NEEDED AND NOT IN THE RING`;
  return fixed > 0 ? `${what}, in use (${fixed} of them cannot be rotated)` : `${what}, needed`;
}
