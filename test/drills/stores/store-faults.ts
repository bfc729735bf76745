import { setTimeout as pause } from 'node:timers/promises';
import { STREAMS } from '@supplier/lib/events/event-bus';
import { type Choices, choices } from '../../../deploy/local/sample-data/random.ts';
import { servicesWithDatabase } from '../../../deploy/local/services/process-table.ts';
import type { Stage } from '../stage.ts';
import type { StoreSetup } from '../upgrade/infrastructure.ts';
import type { NatsCluster } from './nats-cluster.ts';
import type { Loss, PostgresPair } from './postgres-pair.ts';
import { lacksSmallDisk, type SmallDisk } from './small-disk.ts';

/** What the faults of PostgreSQL and NATS act on. */
export interface Stores {
  /** The servers' processes by name. */
  stores(): Readonly<Record<string, number>>;
  /** Calls a method of JetStream's API that needs no body. */
  callJetStream(method: string): Promise<unknown>;
  readonly natsCluster: NatsCluster | undefined;
  readonly postgresPair: PostgresPair | undefined;
  /** The disk of one store. */
  readonly smallDisk: (SmallDisk & { readonly store: string }) | undefined;
  /** Kills every process of the services; they stay down until the result is called. */
  stopServices(): () => void;
  /** Records that a fault lost what was committed in a period. */
  reportLoss(loss: Loss): void;
}

/** A fault that is chosen but hasn't begun. */
export interface Fault {
  /** What it does, in words. */
  readonly what: string;
  /** What it affects, which no other fault may affect meanwhile. */
  readonly parts: readonly string[];
  /** Resolves when it is over. */
  act(): Promise<unknown>;
}

export const CUT_MS = { shortest: 1_000, longest: 15_000 };
/** The other servers elect another leader after 4 to 9 s, and the old one resigns after 10 s. */
const LEADERLESS_MS = { shortest: 3_000, longest: 25_000 };
/** How far an asynchronous standby is behind. */
const BEHIND_MS = { shortest: 500, longest: 5_000 };

/** The faults of stores that have more than one server, or a small disk, by name. */
export const storeFaults = {
  cutOffLeader({ natsCluster, callJetStream, longestMs }, choose) {
    const ms = between(choose, LEADERLESS_MS, longestMs);
    return {
      ...{ what: `cut the leader in NATS off for ${seconds(ms)}`, parts: ['leader'] },
      async act() {
        natsCluster?.cutOff(await throughOutage(() => leaderIn(callJetStream)));
        await pause(ms);
        natsCluster?.reconnect();
      },
    };
  },
  killLeader({ stores, callJetStream }) {
    const act = async () => {
      const pid = stores()[await throughOutage(() => leaderIn(callJetStream))];
      if (pid !== undefined) signal(pid, 'SIGKILL');
    };
    return { what: 'kill the leader in NATS', parts: ['leader'], act };
  },
  failOver({ postgresPair }) {
    const parts = postgresPair?.names ?? [];
    const act = async () => {
      await postgresPair?.failOver();
      await postgresPair?.rejoin();
    };
    return { what: 'fail over to the standby', parts, act };
  },
  failOverWithLoss({ postgresPair, callJetStream, stopServices, reportLoss }, choose) {
    const ms = between(choose, BEHIND_MS, Number.POSITIVE_INFINITY);
    return {
      what: `fail over to a standby that is ${seconds(ms)} behind`,
      // Otherwise a database could stay read-only, because the end of that was lost.
      parts: [...(postgresPair?.names ?? []), ...servicesWithDatabase.map(databasePart)],
      async act() {
        postgresPair?.holdBack();
        await pause(ms);
        let start = () => {};
        try {
          // As docs/backup.md requires: services are stopped, and NATS starts empty.
          const loss = await postgresPair?.failOver(async () => {
            start = stopServices();
            for (const stream of Object.values(STREAMS))
              await throughOutage(() => callJetStream(`STREAM.DELETE.${stream}`).catch(unlessMissing));
          });
          if (loss) reportLoss(loss);
        } finally {
          start();
        }
        await postgresPair?.rejoin();
      },
    };
  },
  fillDisk({ smallDisk, longestMs }, choose) {
    const { store = '', fill, free } = smallDisk ?? {};
    const ms = between(choose, CUT_MS, longestMs);
    return {
      ...{ what: `fill the disk of ${store} for ${seconds(ms)}`, parts: [store] },
      async act() {
        fill?.();
        await pause(ms);
        free?.();
      },
    };
  },
} satisfies Readonly<
  Record<string, (stores: Stores & { readonly longestMs: number }, choose: Choices) => Fault>
>;

/** Names the part that a fault of a service's database affects. */
export const databasePart = (service: string) => `database ${service}`;

/** What some faults need. */
const NEEDS: Readonly<Record<string, (stores: Stores) => boolean>> = {
  cutOffLeader: ({ natsCluster }) => natsCluster !== undefined,
  killLeader: ({ natsCluster }) => natsCluster !== undefined,
  failOver: ({ postgresPair }) => postgresPair?.replication === 'synchronous',
  failOverWithLoss: ({ postgresPair }) => postgresPair?.replication === 'asynchronous',
  fillDisk: ({ smallDisk }) => smallDisk !== undefined,
};

/** Returns whether the stores have what a fault needs. */
export const isProvided = (fault: string, stores: Stores): boolean => NEEDS[fault]?.(stores) ?? true;

export const between = (choose: Choices, { shortest, longest }: typeof CUT_MS, longestMs: number) =>
  choose.whole(shortest, Math.max(shortest, Math.min(longest, longestMs)));
export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The process may have ended in the meantime. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Accepts that a stream, or a consumer with its stream, was deleted before. */
export function unlessMissing(error: unknown): void {
  if (!/(?:stream|consumer) not found/.test(String(error))) throw error;
}

/** Returns the NATS server that leads the stream of submission events. */
async function leaderIn(callJetStream: Stores['callJetStream']): Promise<string> {
  const info = await callJetStream(`STREAM.INFO.${STREAMS.submission}`);
  const { leader } = (info as { readonly cluster: { readonly leader?: string } }).cluster;
  if (!leader) throw new Error('the stream has no leader');
  return leader;
}

/** Repeats what a fault may prevent, for a minute. */
export async function throughOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (tries === 60) throw error;
      await pause(1_000);
    }
}

/** Provides what the wanted faults need; otherwise, the seed decides. */
export function setupOf(
  { secure, progress }: Pick<Stage, 'secure' | 'progress'>,
  seed: number,
  only?: readonly string[],
): StoreSetup {
  const choose = choices(seed + 3);
  const wants = (...names: string[]) => only?.some((name) => names.includes(name));
  const natsCluster = wants('cutOffLeader', 'killLeader') ?? choose.in(0.3);
  const chosen = only ? undefined : choose.of([undefined, 'synchronous', 'asynchronous'] as const);
  const wanted = wants('failOver') ? 'synchronous' : wants('failOverWithLoss') ? 'asynchronous' : chosen;
  const standby = secure ? undefined : wanted;
  const single = [...(standby ? [] : (['postgres'] as const)), ...(natsCluster ? [] : (['nats'] as const))];
  const store = (wants('fillDisk') ?? choose.in(0.3)) && single.length > 0 ? choose.of(single) : undefined;
  const lack = store && lacksSmallDisk();
  if (lack) progress(`no disk becomes full: ${lack}`);
  const smallDisk = lack ? undefined : store;
  const servers = natsCluster ? 'three NATS servers' : 'one NATS server';
  progress(`${servers}, ${standby ?? 'no'} standby, small disk of ${smallDisk ?? 'nothing'}`);
  return { natsCluster, standby, smallDisk };
}
