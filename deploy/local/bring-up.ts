import { join } from 'node:path';
import { contentIsolation } from '../../services/document/src/content/index.ts';
import { findClamd, startClamd } from './clamav/clamd.ts';
import { collectorProgram } from './collector/program.ts';
import { localCertificates, partCertificates } from './identity/certificates.ts';
import { EVENT_CONSUMERS, eventKeysFolder, makeKeyRings } from './identity/key-rings.ts';
import type { Certificates } from './identity/make-certificates.ts';
import { keepTokensFresh, openTokenIssuer } from './identity/token-issuer.ts';
import { keepStreamsOf, plainNats, secureNats } from './nats/access.ts';
import { obtainNatsServer } from './nats/obtain.ts';
import { type NatsSecurity, natsProgram } from './nats/program.ts';
import type { CodeSource } from './options.ts';
import { prepareCluster, unsynced } from './postgres/cluster.ts';
import { makeDatabases } from './postgres/databases.ts';
import { receiverProgram, receiverSecrets } from './receiver/program.ts';
import { seedSuppliers } from './seed/seed-suppliers.ts';
import { staffClients } from './seed/staff-clients.ts';
import { supplierNames } from './seed/supplier-table.ts';
import { openCode } from './services/code.ts';
import { nodeRuntime } from './services/node-runtime.ts';
import {
  consoleProcess,
  limitsDatabase,
  processTable,
  rpcUrl,
  type ServiceProcess,
  scannerProcess,
  servicesWithDatabase,
} from './services/process-table.ts';
import { startServices } from './services/start-services.ts';
import { type PortName, usualPorts } from './services/usual-ports.ts';
import { describeStack, receiverUrl } from './stack-file.ts';
import type { PortClaims } from './state/port-claims.ts';
import { choosePorts, type Ports } from './state/ports.ts';
import { readJsonIfPresent, writePrivateJson } from './state/private-file.ts';
import type { StateFolder } from './state/state-folder.ts';
import type { Supervisor } from './supervisor/supervisor.ts';
import type { Terminal } from './terminal.ts';

export type RunningStack = Awaited<ReturnType<typeof bringUp>>;

export interface Means {
  readonly state: StateFolder;
  readonly checkout: string;
  readonly secure: boolean;
  readonly traced?: boolean;
  readonly from: CodeSource;
  readonly supervisor: Supervisor;
  readonly claims: PortClaims;
  readonly terminal: Terminal;
  /** Whether PostgreSQL and NATS sync to disk; true by default. */
  readonly synced?: boolean;
  /** Called when PostgreSQL and NATS are ready. */
  readonly onStores?: (urls: { readonly postgres: string; readonly nats: string }) => void;
  /** Additional PostgreSQL settings. */
  readonly postgres?: Readonly<Record<string, string>>;
}

/** Starts everything in order, and seeds the suppliers. */
export async function bringUp(means: Means) {
  const { state, checkout, secure, traced, supervisor, terminal } = means;
  const node = nodeRuntime(checkout);
  const ports = await takePorts(means);

  const issuer = await openTokenIssuer(state.identity);
  await issuer.refreshServiceTokens();
  makeKeyRings(state.keyRings, servicesWithDatabase);
  makeKeyRings(eventKeysFolder(state.keyRings), EVENT_CONSUMERS);
  const certificates = await localCertificates(state.certificates);
  const parts = secure ? await partCertificates(state.certificates) : undefined;
  const clamd = findClamd();
  const scansItself = clamd === undefined;
  const receiver = receiverProgram({
    ...{ state, node, ports, certificates, suppliers: supplierNames, scansItself },
  });

  const [{ cluster, nats, toolingMs }] = await Promise.all([
    startStores(means, ports, parts),
    supervisor.start(receiver),
    ...(clamd === undefined ? [] : [startClamd(means, clamd, ports.clamd)]),
    ...(traced ? [supervisor.start(collectorProgram(node, ports.collector, state.traces))] : []),
  ]);
  await keepStreamsOf(nats, supervisor, terminal);
  const names = [...servicesWithDatabase, limitsDatabase];
  const databases = await makeDatabases(cluster.url('postgres'), names, { runtimeRoles: secure });
  const tracedShare = traced ? 1 : undefined;
  const surroundings = { state, ports, parts, certificates, nats, databases, tracedShare };
  const table = processTable(surroundings);
  const code = await openCode(means.from, node, state);
  await startServices(table, code, supervisor, state.logs);

  let staffToken = await issuer.staffToken();
  const urls = {
    account: rpcUrl(surroundings, 'account'),
    submission: rpcUrl(surroundings, 'submission'),
    webhook: rpcUrl(surroundings, 'webhook'),
  };
  const staff = staffClients(urls, () => staffToken, parts?.operator);
  const scanner = scannerProcess(surroundings);
  const [suppliers] = await Promise.all([
    seedSuppliers({ file: state.suppliers, staff, receiver: receiverUrl(ports) }),
    startServices([scanner], code, supervisor, state.logs),
  ]);
  const secrets = Object.entries(suppliers).map(([name, { webhookSecret, liveWebhookSecret }]) => [
    name,
    { sandbox: webhookSecret, production: liveWebhookSecret },
  ]);
  writePrivateJson(receiverSecrets(state), Object.fromEntries(secrets));

  const description = () =>
    describeStack({
      ports,
      parts,
      staffToken,
      suppliers,
      postgresUrl: cluster.url('postgres'),
      databases,
      natsUrl: nats.url,
      pids: supervisor.pids(),
      ...(traced ? { spans: join(state.traces, 'spans.jsonl') } : {}),
    });
  const writeStackFile = () => writePrivateJson(state.stackFile, description());
  keepTokensFresh(async () => {
    await issuer.refreshServiceTokens();
    staffToken = await issuer.staffToken();
    writeStackFile();
  }, terminal);
  const startConsole = () => startServices([consoleProcess(surroundings)], code, supervisor, state.logs);
  const loosened = [
    ...loosenedBy([...table, scanner]),
    ...(scansItself
      ? ['documents are scanned for the EICAR test file only, because clamd is not installed']
      : []),
    ...(contentIsolation().length === 0
      ? ['content checks share the user and the network of the scanner: unshare fails here']
      : []),
  ];
  return {
    staff,
    description,
    writeStackFile,
    startConsole,
    /** How long downloading tools took. */
    toolingMs,
    /** The settings that each process has loosened, with the process names. */
    loosened,
  };
}

/** Starts PostgreSQL and NATS only. */
export async function bringUpStores(means: Means): Promise<void> {
  const ports = await takePorts(means);
  await startStores(
    means,
    ports,
    means.secure ? await partCertificates(means.state.certificates) : undefined,
  );
}

type PartCertificates = Awaited<ReturnType<typeof partCertificates>>;

async function startStores(means: Means, ports: Ports<PortName>, parts?: PartCertificates) {
  const nats = parts ? secureNats(ports.nats, means.state.nats, parts.nats) : plainNats(ports.nats);
  const [cluster, { toolingMs }] = await Promise.all([
    startPostgres(means, ports, parts?.postgres),
    startNats(means, ports, nats.security),
  ]);
  means.onStores?.({ postgres: cluster.url('postgres'), nats: nats.url });
  return { cluster, nats, toolingMs };
}

const loosenedBy = (table: readonly ServiceProcess[]) =>
  table.flatMap(({ name, loosens }) => (loosens ? [`${loosens} (${name})`] : []));

/** Those that people open or configure. */
const PORTS_OF_PEOPLE = ['gateway', 'production', 'pages', 'console', 'receiver'] as const;

async function takePorts({ state, claims, terminal }: Means): Promise<Ports<PortName>> {
  const remembered = (readJsonIfPresent(state.ports) ?? {}) as Record<string, unknown>;
  const ports = await choosePorts(usualPorts, remembered, claims.claim);
  const moved = PORTS_OF_PEOPLE.filter((name) => ports[name] !== usualPorts[name]);
  if (moved.length > 0) terminal.say('other ports than usual, which other programs used:');
  for (const name of moved)
    terminal.say(`  ${name.padEnd(11)} ${ports[name]} instead of ${usualPorts[name]}`);
  writePrivateJson(state.ports, ports);
  return ports;
}

async function startPostgres(
  { state, supervisor, synced = true, postgres }: Means,
  ports: Ports<PortName>,
  own?: Certificates,
) {
  const cluster = await prepareCluster(state, ports.postgres, own, {
    ...(synced ? {} : unsynced),
    ...postgres,
  });
  await supervisor.start(cluster.program);
  return cluster;
}

async function startNats(
  { state, supervisor, synced }: Means,
  ports: Ports<PortName>,
  security: NatsSecurity | undefined,
) {
  const began = performance.now();
  const server = await obtainNatsServer();
  const toolingMs = performance.now() - began;
  await supervisor.start(natsProgram(server, state, ports.nats, { security, synced }));
  return { toolingMs };
}
