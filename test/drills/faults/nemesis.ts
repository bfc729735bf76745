import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { servicesWithDatabase } from '../../../deploy/local/services/process-table.ts';
import { urlOf } from '../databases.ts';
import type { Random } from './random.ts';
import type { Path } from './replicas.ts';

/** What the faults act on. */
export interface Targets {
  readonly paths: readonly Path[];
  /** The services' processes by name. */
  processes(): Readonly<Record<string, number>>;
  /** PostgreSQL and NATS by name. */
  stores(): Readonly<Record<string, number>>;
  readonly superuserUrl: string;
  /** Calls a method of JetStream's API that needs no body. */
  callJetStream(method: string): Promise<void>;
  /** Moves the clock of one process; undefined when libfaketime isn't installed. */
  readonly setClock: ((offsetSeconds: number) => string) | undefined;
}

/** A fault: what it did, in words; resolves when it is over. */
type Fault = (targets: Targets, random: Random, began: (what: string) => void) => Promise<void>;

const STREAMS = ['SUBMISSION', 'DOCUMENT'];
const CONSUMERS = ['billing', 'webhook', 'document'];
/** The pause of a process that hangs, longer than the leases and timeouts of calls. */
const HALT_MS = { shortest: 2_000, longest: 30_000 };
const CLOCK_S = 600;
const CUT_MS = { shortest: 1_000, longest: 15_000 };

/** Every fault, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  async kill({ processes }, random, began) {
    const [name, pid] = random.pick(Object.entries(processes()));
    began(`kill ${name}`);
    signal(pid, 'SIGKILL');
  },
  async halt({ processes }, random, began) {
    const [name, pid] = random.pick(Object.entries(processes()));
    const ms = between(random, HALT_MS);
    began(`halt ${name} for ${seconds(ms)}`);
    signal(pid, 'SIGSTOP');
    await pause(ms);
    signal(pid, 'SIGCONT');
  },
  async killStore({ stores }, random, began) {
    const [name, pid] = random.pick(Object.entries(stores()));
    began(`kill ${name}`);
    signal(pid, 'SIGKILL');
  },
  async partition({ paths }, random, began) {
    const { name, link } = random.pick(paths);
    const hold = random.pick(['requests', 'responses', 'both'] as const);
    const ms = between(random, CUT_MS);
    began(`hold ${hold} of ${name} for ${seconds(ms)}`);
    link.disturb({ hold });
    await pause(ms);
    link.disturb();
  },
  async isolate({ paths }, random, began) {
    const [process = ''] = random.pick(paths).name.split(' to ');
    const own = paths.filter(({ name }) => name.startsWith(`${process} to `));
    const ms = between(random, CUT_MS);
    began(`isolate ${process} for ${seconds(ms)}`);
    for (const { link } of own) link.disturb({ hold: 'both' });
    await pause(ms);
    for (const { link } of own) link.disturb();
  },
  async slow({ paths }, random, began) {
    const { name, link } = random.pick(paths);
    const delayMs = 50 + random.below(950);
    const ms = between(random, CUT_MS);
    began(`delay ${name} by ${delayMs} ms for ${seconds(ms)}`);
    link.disturb({ delayMs });
    await pause(ms);
    link.disturb();
  },
  async readOnly({ superuserUrl }, random, began) {
    const service = random.pick(servicesWithDatabase);
    const ms = between(random, CUT_MS);
    began(`make the database of ${service} read-only for ${seconds(ms)}`);
    await setReadOnly(superuserUrl, service, 'on');
    await pause(ms);
    await setReadOnly(superuserUrl, service, 'off');
  },
  async disconnect({ superuserUrl }, random, began) {
    const service = random.pick(servicesWithDatabase);
    began(`end all connections to the database of ${service}`);
    await throughOutage(() => asSuperuser(superuserUrl, endConnections(service)));
  },
  async clock({ setClock }, random, began) {
    if (!setClock) return began('clocks stay right: libfaketime is not installed');
    const ms = between(random, HALT_MS);
    const offset = random.pick([-CLOCK_S, CLOCK_S]);
    began(`move the clock of ${setClock(offset)} by ${offset} s for ${seconds(ms)}`);
    await pause(ms);
    setClock(0);
  },
  async deleteStream({ callJetStream }, random, began) {
    const stream = random.pick(STREAMS);
    began(`delete the stream ${stream}`);
    await throughOutage(() => callJetStream(`STREAM.DELETE.${stream}`));
  },
  async deleteConsumer({ callJetStream }, random, began) {
    const consumer = random.pick(CONSUMERS);
    began(`delete the consumer ${consumer}`);
    // Not every service consumes the stream under its own name.
    await callJetStream(`CONSUMER.DELETE.SUBMISSION.${consumer}`).catch(() => undefined);
  },
};

/** How often each fault comes: faults that lose much less often than small ones. */
const WEIGHTS: Readonly<Record<keyof typeof faults, number>> = {
  ...{ kill: 6, halt: 3, killStore: 1, partition: 6, isolate: 2, slow: 3 },
  ...{ readOnly: 2, disconnect: 3, deleteStream: 1, deleteConsumer: 1, clock: 1 },
};

/**
 * Causes one fault after the other, each chosen by `random`, until `until` is aborted; up to three overlap. Resolves
 * when the last one is over, to how often each occurred.
 */
export async function haunt(
  targets: Targets,
  random: Random,
  until: AbortSignal,
  progress: (line: string) => void,
): Promise<Record<string, number>> {
  const names = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array<string>(weight).fill(name));
  const counts: Record<string, number> = {};
  const active = new Set<Promise<void>>();
  while (!until.aborted) {
    const name = random.pick(names);
    counts[name] = (counts[name] ?? 0) + 1;
    const fault = faults[name]?.(targets, random, progress) ?? Promise.resolve();
    const over: Promise<void> = fault
      .catch((error: unknown) => progress(`${name}: ${String(error)}`))
      .finally(() => active.delete(over));
    active.add(over);
    if (active.size >= 3) await Promise.race(active);
    await pause(500 + random.below(2_500), undefined, { signal: until }).catch(() => undefined);
  }
  await Promise.all(active);
  return counts;
}

const between = (random: Random, { shortest, longest }: typeof CUT_MS) =>
  shortest + random.below(longest - shortest);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The process may have ended in the meantime. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const endConnections = (service: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${service}'`;

async function setReadOnly(superuserUrl: string, service: string, value: 'on' | 'off'): Promise<void> {
  await throughOutage(async () => {
    await asSuperuser(superuserUrl, `ALTER DATABASE ${service} SET default_transaction_read_only = ${value}`);
    await asSuperuser(superuserUrl, endConnections(service));
  });
}

async function asSuperuser(superuserUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({
    connectionString: urlOf(superuserUrl, 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Repeats what another fault may prevent, for a minute. */
async function throughOutage(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (tries === 60) throw error;
      await pause(1_000);
    }
}
