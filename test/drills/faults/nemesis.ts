import { setTimeout as pause } from 'node:timers/promises';
import { STREAMS, SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';
import pg from 'pg';
import type { Choices } from '../../../deploy/local/sample-data/random.ts';
import {
  type ServiceWithDatabase,
  servicesWithDatabase,
} from '../../../deploy/local/services/process-table.ts';
import { urlOf } from '../databases.ts';
import {
  between,
  CUT_MS,
  databasePart,
  type Fault,
  isProvided,
  type Stores,
  seconds,
  signal,
  storeFaults,
  throughOutage,
  unlessMissing,
} from '../stores/store-faults.ts';
import type { Disturbance } from '../upgrade/balancer.ts';
import { isMoved, type MovedService, type Path } from './replicas.ts';

/** What the faults act on. */
export interface Targets extends Stores {
  readonly paths: readonly Path[];
  /** The services' processes by name. */
  processes(): Readonly<Record<string, number>>;
  readonly superuserUrl: string;
  /** Moves the clock of a service's first process; undefined when libfaketime isn't installed. */
  readonly setClock: ((offsetSeconds: number, service: MovedService) => void) | undefined;
}

/** Restricts which faults occur, and where. */
export interface Restriction {
  readonly only?: readonly FaultName[];
  /** The service whose processes, paths, database and clock are affected. */
  readonly service?: ServiceWithDatabase;
  /** What the affected paths lead to, such as `postgres`. */
  readonly to?: string;
  /** How long a fault lasts at most. */
  readonly longestMs?: number;
  /** By how much a slow path is delayed at most. */
  readonly slowestMs?: number;
  /** By how many seconds the clock of the service is moved all the time. */
  readonly offsetS?: number;
  /** The time by which pauses between faults are longer. */
  readonly pauseMs?: number;
}

/** The targets of faults that may be restricted. */
interface Reach extends Targets {
  readonly services: readonly ServiceWithDatabase[];
  readonly clockOf: MovedService;
  readonly longestMs: number;
  readonly slowestMs: number;
}

const SUBSCRIBERS = [SUBSCRIPTIONS.billing, SUBSCRIPTIONS.webhook];
/** The pause of a process that hangs, longer than the leases and timeouts of calls. */
const HALT_MS = { shortest: 2_000, longest: 30_000 };
const CLOCK_S = 600;

/** Every fault, by name. */
const faults = {
  kill({ processes }, choose) {
    const [name, pid] = choose.of(Object.entries(processes()));
    return { what: `kill ${name}`, parts: [name], act: async () => signal(pid, 'SIGKILL') };
  },
  halt({ processes, longestMs }, choose) {
    const [name, pid] = choose.of(Object.entries(processes()));
    const ms = between(choose, HALT_MS, longestMs);
    return {
      ...{ what: `halt ${name} for ${seconds(ms)}`, parts: [name] },
      async act() {
        signal(pid, 'SIGSTOP');
        await pause(ms);
        signal(pid, 'SIGCONT');
      },
    };
  },
  killHeld({ paths, processes, longestMs }, choose) {
    const path = choose.of(paths);
    const [service, number] = (path.name.split(' to ')[0] ?? '').split('-');
    const name = `replica${number}-${service}`;
    const hold = choose.of(['requests', 'responses', 'both'] as const);
    const ms = between(choose, CUT_MS, longestMs);
    return {
      what: `hold ${hold} of ${path.name} for ${seconds(ms)}, then kill ${name}`,
      parts: [path.name, name],
      async act() {
        path.link.disturb({ hold });
        await pause(ms);
        const pid = processes()[name];
        if (pid !== undefined) signal(pid, 'SIGKILL');
        path.link.disturb();
      },
    };
  },
  killStore({ stores }, choose) {
    const [name, pid] = choose.of(Object.entries(stores()));
    return { what: `kill ${name}`, parts: [name], act: async () => signal(pid, 'SIGKILL') };
  },
  partition({ paths, longestMs }, choose) {
    const path = choose.of(paths);
    const hold = choose.of(['requests', 'responses', 'both'] as const);
    return disturbed([path], `hold ${hold} of ${path.name}`, { hold }, between(choose, CUT_MS, longestMs));
  },
  cutOff({ paths, longestMs }, choose) {
    const [process] = choose.of(paths).name.split(' to ');
    const own = paths.filter(({ name }) => name.startsWith(`${process} to `));
    return disturbed(
      own,
      `cut ${process} off from all it calls`,
      { hold: 'both' },
      between(choose, CUT_MS, longestMs),
    );
  },
  slow({ paths, longestMs, slowestMs }, choose) {
    const path = choose.of(paths);
    const delayMs = choose.whole(50, slowestMs);
    return disturbed(
      [path],
      `delay ${path.name} by ${delayMs} ms`,
      { delayMs },
      between(choose, CUT_MS, longestMs),
    );
  },
  lossy({ paths, longestMs }, choose) {
    const path = choose.of(paths);
    const lost = choose.of([0.05, 0.2, 0.5]);
    return disturbed(
      [path],
      `lose ${lost * 100} % of ${path.name}`,
      { lost },
      between(choose, CUT_MS, longestMs),
    );
  },
  readOnly({ superuserUrl, services, longestMs }, choose) {
    const service = choose.of(services);
    const ms = between(choose, CUT_MS, longestMs);
    return {
      what: `make the database of ${service} read-only for ${seconds(ms)}`,
      parts: [databasePart(service)],
      async act() {
        await setReadOnly(superuserUrl, service, 'on');
        await pause(ms);
        await setReadOnly(superuserUrl, service, 'off');
      },
    };
  },
  disconnect({ superuserUrl, services }, choose) {
    const service = choose.of(services);
    return {
      what: `end all connections to the database of ${service}`,
      parts: [],
      act: () => throughOutage(() => asSuperuser(superuserUrl, endConnections(service))),
    };
  },
  clock({ setClock, clockOf, longestMs }, choose) {
    const ms = between(choose, HALT_MS, longestMs);
    const offset = choose.of([-CLOCK_S, CLOCK_S]);
    return {
      ...{ what: `move a clock by ${offset} s for ${seconds(ms)}`, parts: ['clock'] },
      async act() {
        setClock?.(offset, clockOf);
        await pause(ms);
        setClock?.(0, clockOf);
      },
    };
  },
  deleteStream({ callJetStream }) {
    const method = `STREAM.DELETE.${STREAMS.submission}`;
    return { what: method, parts: [], act: () => throughOutage(() => callJetStream(method)) };
  },
  deleteConsumer({ callJetStream }, choose) {
    const { stream, consumer } = choose.of(SUBSCRIBERS);
    const method = `CONSUMER.DELETE.${stream}.${consumer}`;
    const work = () => callJetStream(method).catch(unlessMissing);
    return { what: method, parts: [], act: () => throughOutage(work) };
  },
  ...storeFaults,
} satisfies Readonly<Record<string, (reach: Reach, choose: Choices) => Fault>>;

export type FaultName = keyof typeof faults;
export const FAULT_NAMES = Object.keys(faults) as FaultName[];
/** How often each fault comes: faults that lose much less often than small ones. */
const WEIGHTS: Readonly<Record<FaultName, number>> = {
  ...{ kill: 5, killHeld: 2, halt: 3, killStore: 1, partition: 6, cutOff: 2, slow: 3, lossy: 3 },
  ...{ readOnly: 2, disconnect: 3, deleteStream: 1, deleteConsumer: 1, clock: 1 },
  ...{ cutOffLeader: 3, killLeader: 1, failOver: 2, failOverWithLoss: 2, fillDisk: 2 },
};

/**
 * Causes one fault after the other, each chosen by `choose`, until `until` is aborted; up to three overlap, on different
 * parts. Resolves when the last one is over, to how often each occurred.
 */
export async function haunt(
  targets: Targets,
  choose: Choices,
  until: AbortSignal,
  progress: (line: string) => void,
  restriction: Restriction = {},
): Promise<Record<string, number>> {
  const reach = reachOf(targets, restriction);
  const isPossible = (name: FaultName) =>
    name === 'clock' ? targets.setClock !== undefined : isProvided(name, targets);
  const weighted = FAULT_NAMES.flatMap((name) => Array<FaultName>(WEIGHTS[name]).fill(name));
  const names = (restriction.only ?? weighted).filter(isPossible);
  const impossible = restriction.only?.filter((name) => !isPossible(name)) ?? [];
  if (impossible.length > 0) progress(`this run lacks what these faults need: ${impossible.join(', ')}`);
  const counts: Record<string, number> = {};
  const affected = new Set<string>();
  const cause = async (name: FaultName) => {
    if (Object.keys(reach.processes()).length === 0) return;
    const { what, parts, act } = faults[name](reach, choose);
    if (parts.some((part) => affected.has(part))) return;
    for (const part of parts) affected.add(part);
    progress(what);
    try {
      await act();
      counts[name] = (counts[name] ?? 0) + 1;
    } finally {
      for (const part of parts) affected.delete(part);
    }
  };
  const { offsetS } = restriction;
  if (offsetS !== undefined) targets.setClock?.(offsetS, reach.clockOf);
  const active = new Set<Promise<void>>();
  while (!until.aborted && names.length > 0) {
    const name = choose.of(names);
    const over: Promise<void> = cause(name)
      .catch((error: unknown) => progress(`${name}: ${String(error)}`))
      .finally(() => active.delete(over));
    active.add(over);
    if (active.size >= 3) await Promise.race(active);
    await pause((restriction.pauseMs ?? 0) + choose.whole(500, 3_000), undefined, { signal: until }).catch(
      () => undefined,
    );
  }
  await Promise.all(active);
  if (offsetS !== undefined) targets.setClock?.(0, reach.clockOf);
  return counts;
}

function disturbed(paths: readonly Path[], what: string, how: Disturbance, ms: number): Fault {
  return {
    what: `${what} for ${seconds(ms)}`,
    parts: paths.map(({ name }) => name),
    async act() {
      for (const { link } of paths) link.disturb(how);
      await pause(ms);
      for (const { link } of paths) link.disturb();
    },
  };
}

/** Applies a restriction: names of processes contain their service's. */
function reachOf(
  targets: Targets,
  { service, to = '', longestMs = Number.POSITIVE_INFINITY, slowestMs = 1_000 }: Restriction,
): Reach {
  const { paths, processes } = targets;
  const isOf = (name: string) => service === undefined || name.includes(service);
  return {
    ...{ ...targets, longestMs, slowestMs },
    services: service ? [service] : servicesWithDatabase,
    clockOf: isMoved(service) ? service : 'submission',
    paths: paths.filter(({ name }) => isOf(name.split(' to ')[0] ?? '') && name.endsWith(to)),
    processes: () => Object.fromEntries(Object.entries(processes()).filter(([name]) => isOf(name))),
  };
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
