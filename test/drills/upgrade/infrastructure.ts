import { localCertificates, partCertificates } from '../../../deploy/local/identity/certificates.ts';
import { EVENT_CONSUMERS, eventKeysFolder, makeKeyRings } from '../../../deploy/local/identity/key-rings.ts';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { openTokenIssuer } from '../../../deploy/local/identity/token-issuer.ts';
import { keepStreamsOf, plainNats, secureNats } from '../../../deploy/local/nats/access.ts';
import { obtainNatsServer } from '../../../deploy/local/nats/obtain.ts';
import { natsProgram } from '../../../deploy/local/nats/program.ts';
import { prepareCluster } from '../../../deploy/local/postgres/cluster.ts';
import { makeDatabases } from '../../../deploy/local/postgres/databases.ts';
import { type StaffClients, staffClients } from '../../../deploy/local/seed/staff-clients.ts';
import {
  limitsDatabase,
  rpcUrl,
  type Surroundings,
  servicesWithDatabase,
} from '../../../deploy/local/services/process-table.ts';
import { type PortName, usualPorts } from '../../../deploy/local/services/usual-ports.ts';
import { choosePorts, type Ports } from '../../../deploy/local/state/ports.ts';
import type { Stage } from '../stage.ts';
import { type NatsCluster, SERVERS, startNatsCluster } from '../stores/nats-cluster.ts';
import { type PostgresPair, type Replication, startPostgresPair } from '../stores/postgres-pair.ts';
import { makeSmallDisk, type SmallDisk } from '../stores/small-disk.ts';

/** Three processes of each kind open up to 273 connections. */
const MAX_CONNECTIONS = '300';

/** What both releases share: PostgreSQL, NATS, keys and tokens, and the common service addresses. */
export interface Infrastructure {
  readonly surroundings: Surroundings;
  readonly superuserUrl: string;
  readonly receiverCertificates: Certificates;
  readonly productionUrl: string;
  readonly sandboxUrl: string;
  readonly staff: StaffClients;
  /** An administrator's token, for 12 hours. */
  readonly token: string;
  /** The token of a second administrator, for 12 hours. */
  readonly secondToken: string;
  readonly natsCluster: NatsCluster | undefined;
  readonly postgresPair: PostgresPair | undefined;
  readonly smallDisk: (SmallDisk & { readonly store: string }) | undefined;
  /** Returns unused ports. */
  freePorts(): Promise<Ports<PortName>>;
}

/** How the stores are set up; by default, each is one server. */
export interface StoreSetup {
  /** Three NATS servers, with three copies of each stream. */
  readonly natsCluster?: boolean;
  /** How a standby follows PostgreSQL; undefined for none. It can't use TLS. */
  readonly standby?: Replication | undefined;
  /** The single server whose files are on a disk that can become full. */
  readonly smallDisk?: 'postgres' | 'nats' | undefined;
}

export async function prepareInfrastructure(stage: Stage, setup: StoreSetup = {}): Promise<Infrastructure> {
  const { secure } = stage;
  const smallDisk = setup.smallDisk && { store: setup.smallDisk, ...makeSmallDisk() };
  const state = smallDisk ? { ...stage.state, [smallDisk.store]: smallDisk.path } : stage.state;
  const claims = stage.claims();
  const freePorts = () => choosePorts(usualPorts, {}, claims.claim);
  const ports = await freePorts();
  const issuer = await openTokenIssuer(state.identity);
  await issuer.refreshServiceTokens();
  makeKeyRings(state.keyRings, servicesWithDatabase);
  makeKeyRings(eventKeysFolder(state.keyRings), EVENT_CONSUMERS);
  const certificates = await localCertificates(state.certificates);
  const parts = secure ? await partCertificates(state.certificates) : undefined;
  const nats = parts ? secureNats(ports.nats, state.nats, parts.nats) : plainNats(ports.nats);
  const settings = { max_connections: MAX_CONNECTIONS };
  const cluster = await prepareCluster(state, ports.postgres, parts?.postgres, settings);
  const { standby } = setup;
  const postgresPair =
    standby && (await startPostgresPair(stage, ports.postgres, standby, settings, claims.claim));
  if (!postgresPair) await stage.supervisor().start(cluster.program);
  const server = await obtainNatsServer();
  const natsCluster = setup.natsCluster
    ? await startNatsCluster(stage, server, ports.nats, claims.claim, nats.security)
    : undefined;
  if (!natsCluster)
    await stage.supervisor().start(natsProgram(server, state, ports.nats, { security: nats.security }));
  const replicas = natsCluster ? SERVERS.length : 1;
  await keepStreamsOf(nats, stage.supervisor(), { warn: stage.progress }, replicas);
  const names = [...servicesWithDatabase, limitsDatabase];
  const superuserUrl = cluster.url('postgres');
  const databases = await makeDatabases(superuserUrl, names, { runtimeRoles: parts !== undefined });
  const surroundings = { state, ports, parts, certificates, nats, databases };
  const token = await issuer.staffToken();
  const urls = {
    account: rpcUrl(surroundings, 'account'),
    submission: rpcUrl(surroundings, 'submission'),
    webhook: rpcUrl(surroundings, 'webhook'),
  };
  return {
    surroundings,
    superuserUrl,
    receiverCertificates: certificates,
    productionUrl: `http://127.0.0.1:${ports.production}`,
    sandboxUrl: `http://127.0.0.1:${ports.gateway}`,
    staff: staffClients(urls, () => token, parts?.operator),
    token,
    secondToken: await issuer.staffTokenOf({ name: 'second-administrator', roles: ['staff:admin'] }, 720),
    ...{ natsCluster, postgresPair, smallDisk },
    freePorts,
  };
}
