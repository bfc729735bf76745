import { readFileSync, rmSync } from 'node:fs';
import { type Client, createClient } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/crypto';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import pg from 'pg';
import { findClamd } from '../clamav/find-clamd.ts';
import { startClamd } from '../clamav/start-clamd.ts';
import { collectorProgram } from '../collector/program.ts';
import { localCertificates, partCertificates } from '../identity/certificates.ts';
import { keyRingFile, makeKeyRings } from '../identity/key-rings.ts';
import type { Certificates } from '../identity/make-certificates.ts';
import { openTokenIssuer } from '../identity/token-issuer.ts';
import { plainNats, secureNats } from '../nats/access.ts';
import { natsSources, obtainNatsServer } from '../nats/obtain.ts';
import { natsProgram } from '../nats/program.ts';
import type { CodeSource } from '../options.ts';
import { prepareCluster } from '../postgres/cluster.ts';
import { makeDatabases, makeDatabasesWithRoles, ownedDatabases } from '../postgres/databases.ts';
import { type StaffClients, staffClients, staffTransport } from '../seed/staff-clients.ts';
import { openCode } from '../services/code.ts';
import { type NodeRuntime, nodeRuntime } from '../services/node-runtime.ts';
import {
  limitsDatabase,
  privateUrl,
  processTable,
  rpcUrl,
  type ServiceWithDatabase,
  scannerProcess,
  servicesWithDatabase,
} from '../services/process-table.ts';
import { startServices } from '../services/start-services.ts';
import { type PortName, usualPorts } from '../services/usual-ports.ts';
import { takeInstanceLock } from '../state/instance-lock.ts';
import { portClaims } from '../state/port-claims.ts';
import { choosePorts, isPortFree, type Ports } from '../state/ports.ts';
import { prepareStateFolder, type StateFolder, stateFolder } from '../state/state-folder.ts';
import { endLeftovers } from '../supervisor/end-leftovers.ts';
import { createSupervisor, type Supervisor } from '../supervisor/supervisor.ts';
import { reasonOf, type Terminal } from '../terminal.ts';

const STOP_ORDER = [
  ['gateway', 'production'],
  [...servicesWithDatabase, 'scanner'],
  ['clamd', 'collector', 'nats'],
  ['postgres'],
];

/** A service process that a benchmark may start; `gateway` is that of the sandbox. */
export type BenchProcess = ServiceWithDatabase | 'gateway' | 'production' | 'scanner';

/** Every service process of the stack but the scanner, which needs ClamAV. */
export const wholeStack: readonly BenchProcess[] = [...servicesWithDatabase, 'gateway', 'production'];

/** What a benchmark measures: real processes, with empty databases of their own. */
export interface Workbench {
  readonly certificates: Certificates;
  readonly checkout: string;
  /** Says what is going on, on stderr. */
  readonly progress: (line: string) => void;
  /** Starts services with their database, each as one process. Resolves to the milliseconds until each was ready. */
  start(services: readonly BenchProcess[]): Promise<Record<string, number>>;
  /** Whether this machine has ClamAV, which is then started before the scanner. */
  readonly canScan: boolean;
  /** A connection to a service's database, for the benchmark alone. */
  database(service: ServiceWithDatabase): pg.Pool;
  keyRing(service: ServiceWithDatabase): KeyRing;
  pidOf(process: BenchProcess | 'postgres'): number;
  /** The process ids of everything that runs now, PostgreSQL and NATS included, by name. */
  pids(): Readonly<Record<string, number>>;
  /** Makes one more database on the same server, for a process of the benchmark. Returns its URL. */
  makeDatabase(name: string): Promise<string>;
  /** How the stack runs Node: what a process is started with that services are compared to. */
  readonly node: NodeRuntime;
  /** Where the service answers `/metrics`. */
  metricsUrl(service: ServiceWithDatabase): string;
  /** Where suppliers call the sandbox. */
  readonly gatewayUrl: string;
  /** Where suppliers call the production gateway. */
  readonly productionUrl: string;
  /** The RPCs of staff, of the services that were started. */
  staff(): Promise<StaffClients>;
  /** The RPCs of the billing service, for staff. */
  billing(): Promise<Client<typeof BillingService>>;
}

/**
 * Runs `work` with PostgreSQL and NATS of its own in `folder`, on ports that nobody uses, and removes it all afterwards.
 * Throws CannotStart when another benchmark uses the folder.
 */
export async function atWorkbench<Result>(
  { checkout, folder, secure, tracedShare, from }: Place,
  progress: (line: string) => void,
  work: (bench: Workbench) => Promise<Result>,
): Promise<Result> {
  const state = stateFolder(folder, checkout);
  prepareStateFolder(state, { fresh: false });
  const release = takeInstanceLock(state.instanceLock, state.path);
  const claims = portClaims();
  const terminal: Terminal = { say: progress, warn: progress };
  const supervisor = createSupervisor(state, terminal, () => {});
  const pools = new Map<string, pg.Pool>();
  try {
    await endLeftovers(state.processRecord);
    prepareStateFolder(state, { fresh: true });
    const { ports } = await choosePorts(
      usualPorts,
      {},
      async (port) => claims.claim(port) && (await isPortFree(port)),
    );
    return await work(
      await setUp({
        state,
        checkout,
        secure,
        tracedShare,
        from,
        ports,
        supervisor,
        terminal,
        progress,
        pools,
      }),
    );
  } finally {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    await supervisor.stop(STOP_ORDER);
    rmSync(state.path, { recursive: true, force: true });
    claims.release();
    release();
  }
}

/** Where a benchmark runs, and how. */
interface Place {
  readonly checkout: string;
  readonly folder: string;
  readonly secure: boolean;
  /** The share of requests that is traced; undefined: nothing is. */
  readonly tracedShare: number | undefined;
  readonly from: CodeSource;
}

interface Means {
  readonly state: StateFolder;
  readonly checkout: string;
  readonly secure: boolean;
  readonly tracedShare: number | undefined;
  readonly from: CodeSource;
  readonly terminal: Terminal;
  readonly ports: Ports<PortName>;
  readonly supervisor: Supervisor;
  readonly progress: (line: string) => void;
  readonly pools: Map<string, pg.Pool>;
}

async function setUp({
  state,
  checkout,
  secure,
  tracedShare,
  from,
  ports,
  supervisor,
  terminal,
  progress,
  pools,
}: Means): Promise<Workbench> {
  const node = nodeRuntime(checkout);
  const issuer = await openTokenIssuer(state.identity);
  await issuer.refreshServiceTokens();
  makeKeyRings(state.keyRings, servicesWithDatabase);
  const certificates = await localCertificates(state.certificates);
  const parts = secure ? await partCertificates(state.certificates) : undefined;
  const nats = parts ? secureNats(ports.nats, state.nats, parts.nats) : plainNats(ports.nats);
  const cluster = await prepareCluster(state, ports.postgres, parts?.postgres);
  await supervisor.start(cluster.program);
  const server = await obtainNatsServer(natsSources(state.tools));
  await supervisor.start(natsProgram(server, state, ports.nats, nats.security));
  const names = [...servicesWithDatabase, limitsDatabase];
  const databases = parts
    ? await makeDatabasesWithRoles(cluster.url('postgres'), names)
    : ownedDatabases(await makeDatabases(cluster.url('postgres'), names));
  if (tracedShare !== undefined) await supervisor.start(collectorProgram(node, ports.collector));
  const surroundings = { state, ports, parts, certificates, nats, databases, tracedShare };
  const table = [...processTable(surroundings), scannerProcess(surroundings)];
  const code = await openCode(from, node, state);

  return {
    certificates,
    checkout,
    progress,
    canScan: findClamd() !== undefined,
    async start(services) {
      if (services.includes('scanner')) await startClamd({ state, supervisor, terminal }, ports.clamd);
      const chosen = table.filter(({ name }) => services.some((service) => service === name));
      return startServices(chosen, code, supervisor, state.logs);
    },
    database(service) {
      const known = pools.get(service);
      const pool = known ?? new pg.Pool({ connectionString: cluster.url(service), max: 4 });
      // A server that is stopped ends idle connections: nobody waits for anything on them.
      if (!known) pool.on('error', (error) => progress(`a database connection ended: ${reasonOf(error)}`));
      pools.set(service, pool);
      return pool;
    },
    keyRing: (service) => KeyRing.fromJson(readFileSync(keyRingFile(state.keyRings, service), 'utf8')),
    pidOf: (process) => supervisor.pids()[process] ?? 0,
    pids: () => supervisor.pids(),
    async makeDatabase(name) {
      const urls = await makeDatabases(cluster.url('postgres'), [name]);
      return urls[name] ?? '';
    },
    node,
    metricsUrl: (service) => `${privateUrl(surroundings, service)}/metrics`,
    gatewayUrl: `http://127.0.0.1:${ports.gateway}`,
    productionUrl: `http://127.0.0.1:${ports.production}`,
    async billing() {
      const token = await issuer.staffToken();
      const baseUrl = rpcUrl(surroundings, 'billing');
      return createClient(
        BillingService,
        staffTransport(baseUrl, () => token, parts?.operator),
      );
    },
    async staff() {
      const token = await issuer.staffToken();
      const urls = {
        account: rpcUrl(surroundings, 'account'),
        submission: rpcUrl(surroundings, 'submission'),
        webhook: rpcUrl(surroundings, 'webhook'),
      };
      return staffClients(urls, () => token, parts?.operator);
    },
  };
}
