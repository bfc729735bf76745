import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicesWithDatabase } from '../../../deploy/local/services/process-table.ts';
import type { PortName } from '../../../deploy/local/services/usual-ports.ts';
import type { Stage } from '../stage.ts';
import { type Balancer, balance } from '../upgrade/balancer.ts';
import { type Fleet, makeFleet } from '../upgrade/fleet.ts';
import type { Infrastructure } from '../upgrade/infrastructure.ts';

/** Every called address of the system, and who listens there. */
const SHARED: readonly PortName[] = [
  ...servicesWithDatabase.map((service): PortName => `${service}Http1`),
  'gateway',
  'production',
];

/** A network path from one process to a store or a service. */
export interface Path {
  readonly name: string;
  readonly link: Balancer;
}

/** The replicas of every process, behind shared addresses. */
export interface Replicas {
  readonly paths: readonly Path[];
  /** The current process number of each process, by name. */
  pids(): Readonly<Record<string, number>>;
  /** Moves the clock of a service's first process by seconds; undefined when libfaketime isn't installed. */
  readonly setClock: ((offsetSeconds: number, service: MovedService) => void) | undefined;
  /** Restarts the processes of these services, and waits until they are ready. */
  restart(services: readonly string[]): Promise<void>;
  /** Kills every process; they stay down until the result is called. */
  kill(): () => void;
  stop(): Promise<void>;
}

const FAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((platform) => `/usr/lib/${platform}/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file));
/** Whether libfaketime is installed. */
export const canMoveClocks = FAKETIME !== undefined;
/** The services whose clock can be moved: one decides, and numbers and dates changes; one schedules webhooks. */
const MOVED = ['submission', 'webhook'] as const;
export type MovedService = (typeof MOVED)[number];
export const isMoved = (service: string | undefined): service is MovedService =>
  MOVED.some((moved) => moved === service);

/**
 * Starts `count` processes of each kind from the sources in `checkout`. Every path between two parts leads through a
 * link, so that it can be disturbed in either direction.
 */
export async function startReplicas(
  stage: Stage,
  infrastructure: Infrastructure,
  count: number,
  checkout = stage.checkout,
): Promise<Replicas> {
  const { ports } = infrastructure.surroundings;
  const paths: Path[] = [];
  const shared = new Map<PortName, Balancer>();
  for (const name of SHARED) shared.set(name, await balance(ports[name]));
  const targets = [...SHARED.slice(0, servicesWithDatabase.length), 'postgres', 'nats'] as const;
  const used = new Set<Balancer>();
  const fleets: Fleet[] = [];
  const offsetFile = (service: MovedService) => join(stage.state.path, `clock-offset-${service}`);
  const setClock = (offsetSeconds: number, service: MovedService) =>
    writeFileSync(offsetFile(service), `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s\n`);
  for (const service of MOVED) setClock(0, service);
  for (let number = 1; number <= count; number++) {
    const links = new Map<string, Balancer>();
    for (const service of [...servicesWithDatabase, 'gateway', 'production'])
      for (const target of targets) {
        const link = await balance();
        link.route([ports[target]]);
        links.set(`${service} ${target}`, link);
        paths.push({ name: `${service}-${number} to ${target.replace('Http1', '')}`, link });
      }
    const reroute = (process: string, env: Readonly<Record<string, string>>) =>
      Object.fromEntries([
        ...Object.entries(env).map(([key, value]) => {
          const target = key.endsWith('_URL') && targets.find((name) => value.includes(`:${ports[name]}`));
          const link = target && links.get(`${process} ${target}`);
          if (link) used.add(link);
          return [key, link ? value.replace(`:${ports[target]}`, `:${link.port}`) : value] as const;
        }),
        ...(FAKETIME && number === 1 && isMoved(process)
          ? Object.entries({
              LD_PRELOAD: FAKETIME,
              FAKETIME_TIMESTAMP_FILE: offsetFile(process),
              FAKETIME_CACHE_DURATION: '1',
              FAKETIME_DONT_FAKE_MONOTONIC: '1',
            })
          : []),
      ]);
    const release = { name: `replica${number}`, checkout, reroute };
    fleets.push(await makeFleet(stage, infrastructure, release));
  }
  const route = () => {
    for (const [name, balancer] of shared) balancer.route(fleets.map((fleet) => fleet.ports[name]));
  };
  const stop = async () => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    for (const { link } of paths) link.close();
    for (const balancer of shared.values()) balancer.close();
  };
  try {
    const codes = await fleets[0]?.migrate();
    if (Object.values(codes ?? {}).some((code) => code !== 0)) throw new Error('a migration failed');
    route();
    await Promise.all(fleets.map((fleet) => fleet.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const pids = (): Record<string, number> => Object.assign({}, ...fleets.map((fleet) => fleet.pids()));
  const holds = Object.keys(pids()).map((name) => join(stage.state.hold, name));
  return {
    paths: paths.filter(({ link }) => used.has(link)),
    pids,
    setClock: FAKETIME ? setClock : undefined,
    async restart(services) {
      await Promise.all(fleets.map((fleet) => fleet.restart(services)));
    },
    kill() {
      for (const file of holds) writeFileSync(file, '');
      for (const pid of Object.values(pids())) process.kill(pid, 'SIGKILL');
      return () => {
        for (const file of holds) rmSync(file, { force: true });
      };
    },
    stop,
  };
}
