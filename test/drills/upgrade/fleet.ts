import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { observeProgram } from '../../../deploy/commands/setup/run-program.mjs';
import { answersReady } from '../../../deploy/local/services/answers-ready.ts';
import { openCode } from '../../../deploy/local/services/code.ts';
import { nodeRuntime } from '../../../deploy/local/services/node-runtime.ts';
import {
  type processTable,
  type ServiceProcess,
  type Surroundings,
  servicesWithDatabase,
} from '../../../deploy/local/services/process-table.ts';
import { startServices } from '../../../deploy/local/services/start-services.ts';
import type { PortName } from '../../../deploy/local/services/usual-ports.ts';
import type { Ports } from '../../../deploy/local/state/ports.ts';
import { createSupervisor } from '../../../deploy/local/supervisor/supervisor.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import type { Stage } from '../stage.ts';
import type { Infrastructure } from './infrastructure.ts';

const MIGRATE_MS = 120_000;
const RESTART_MS = 120_000;
const NAMES: readonly PortName[] = servicesWithDatabase.map((service): PortName => `${service}Http1`);

/** The processes of one release. */
export interface Fleet {
  readonly ports: Ports<PortName>;
  /** Runs the migrate command of every database; resolves to the exit code of each, by service. */
  migrate(...flags: string[]): Promise<Record<string, number>>;
  /** Starts one process of each kind, on the existing schema. */
  start(): Promise<void>;
  /** Restarts the processes of these services, and waits until they are ready. */
  restart(services: readonly string[]): Promise<void>;
  /** Stops them as an orchestrator does: callers first. */
  stop(): Promise<void>;
  /** The current process number of each, by name. */
  pids(): Readonly<Record<string, number>>;
}

/** A release to start processes of. */
export interface Release {
  /** The prefix of process names. */
  readonly name: string;
  readonly checkout: string;
  /** Changes the addresses that a process calls; by default, none. */
  readonly reroute?: (process: string, env: Readonly<Record<string, string>>) => Record<string, string>;
}

/**
 * Creates one process of each kind of the release in `checkout`, with the settings of this release's local stack. They
 * call each other at the addresses of `infrastructure`, where the processes in service listen.
 */
export async function makeFleet(
  { state, progress }: Stage,
  infrastructure: Infrastructure,
  { name, checkout, reroute = (_process, env) => ({ ...env }) }: Release,
): Promise<Fleet> {
  const ports = await infrastructure.freePorts();
  const { postgres, nats, clamd } = infrastructure.surroundings.ports;
  const own: Surroundings = { ...infrastructure.surroundings, ports: { ...ports, postgres, nats, clamd } };
  const module = pathToFileURL(join(checkout, 'deploy/local/services/process-table.ts')).href;
  const release: { processTable: typeof processTable } = await import(module);
  const table = release.processTable(own).map((process) => ({
    ...process,
    name: `${name}-${process.name}`,
    env: reroute(process.name, callingAt(infrastructure.surroundings.ports, ports, process.env)),
  }));
  // A separate process record, so that the two fleets aren't confused.
  const ofFleet = { ...state, processRecord: join(state.path, `processes-${name}.json`) };
  const launch = () => createSupervisor(ofFleet, { say: progress, warn: progress }, () => {});
  const node = nodeRuntime(checkout);
  const code = await openCode('sources', node, state);
  let supervisor = launch();
  return {
    ports,
    pids: () => supervisor.pids(),
    async migrate(...flags) {
      const codes: [string, number][] = [];
      for (const process of table.filter(({ preparation }) => preparation.includes('migrate')))
        codes.push([process.service, await migrate(process, flags, node)]);
      return Object.fromEntries(codes);
    },
    async start() {
      supervisor = launch();
      // The schema already exists; the remaining steps create the document folders.
      const rest = ({ preparation }: ServiceProcess) => preparation.filter((step) => step !== 'migrate');
      const started = table.map((process) => ({ ...process, preparation: rest(process) }));
      await startServices(started, code, supervisor, state.logs);
    },
    async restart(services) {
      const before = supervisor.pids();
      const own = table.filter(({ service }) => services.includes(service));
      for (const { name } of own) if (before[name]) process.kill(before[name], 'SIGTERM');
      for (const { name, readyPort } of own) {
        const isBack = async () =>
          supervisor.pids()[name] !== before[name] && (await answersReady(readyPort)) ? true : undefined;
        if (!(await waitUntil(isBack, { withinMs: RESTART_MS, everyMs: 100 })))
          throw new Error(`${name} is not ready again`);
      }
    },
    async stop() {
      const of = (some: (process: ServiceProcess) => boolean) => table.filter(some).map((one) => one.name);
      const isGateway = ({ service }: ServiceProcess) => service === 'gateway';
      await supervisor.stop([of(isGateway), of((process) => !isGateway(process))]);
    },
  };
}

async function migrate(
  { service, env, asOwner }: ServiceProcess,
  flags: readonly string[],
  node: ReturnType<typeof nodeRuntime>,
): Promise<number> {
  const program = join(node.checkout, 'services', service, 'src/migrate.ts');
  const { code } = await observeProgram(node.command, [...node.flags, program, ...flags], {
    cwd: node.checkout,
    env: { ...node.env, ...env, ...asOwner },
    withinMs: MIGRATE_MS,
  });
  return code;
}

/** Makes services call the shared address, which may lead to a process of the other release. */
function callingAt(
  shared: Ports<PortName>,
  own: Ports<PortName>,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const moved = (value: string) => {
    const name = NAMES.find((candidate) => value.endsWith(`:${own[candidate]}`));
    return name ? value.replace(`:${own[name]}`, `:${shared[name]}`) : value;
  };
  return Object.fromEntries(
    Object.entries(env).map(([key, value]) => [key, key.endsWith('_URL') ? moved(value) : value]),
  );
}
