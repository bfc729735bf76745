import { join } from 'node:path';
import { keyRingFile } from '../identity/key-rings.ts';
import type { Certificates } from '../identity/make-certificates.ts';
import { issuersFile, tokenFolder } from '../identity/token-issuer.ts';
import type { LocalNats } from '../nats/access.ts';
import type { LocalDatabase } from '../postgres/databases.ts';
import type { Ports } from '../state/ports.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { PortName } from './usual-ports.ts';

export const servicesWithDatabase = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
export type ServiceWithDatabase = (typeof servicesWithDatabase)[number];
/** The gateways count together in it; they make its one table themselves. */
export const limitsDatabase = 'limits';

/** One service process: what it runs, with which settings, and where it says that it is ready. */
export interface ServiceProcess {
  readonly name: string;
  /** Folder under `services`. */
  readonly service: string;
  /** Its entry file. */
  readonly entry: 'main' | 'scanner';
  readonly env: Readonly<Record<string, string>>;
  readonly readyPort: number;
  /** Whether every lead passes through it. */
  readonly isBusy: boolean;
  /** What has to be done before it starts, in this order. */
  readonly preparation: readonly Preparation[];
  /** What the migrate command is told beside `env`: it works as the owner of the database. */
  readonly asOwner: Readonly<Record<string, string>>;
}

/** Services that every lead passes through, beside the gateways. */
const BUSY: ReadonlySet<string> = new Set(['submission', 'billing', 'webhook']);

/** Commands of a service: one brings its database to its schema, one makes the folders of its store. */
export type Preparation = 'migrate' | 'set-up-store';

export interface Surroundings {
  readonly state: StateFolder;
  readonly ports: Ports<PortName>;
  /** Whether the parts talk to each other as they do outside a local stack. */
  readonly secure: boolean;
  readonly certificates: Certificates;
  readonly nats: LocalNats;
  readonly databases: Readonly<Record<string, LocalDatabase>>;
}

/** Loopback in both families: the tests come from many addresses by way of X-Forwarded-For. */
const LOOPBACK = '127.0.0.0/8,::1/128';

/** Permits what the table below loosens. */
const DEPLOYMENT = { SSS_DEPLOYMENT: 'local' };

/** Every service process of the local stack. */
export function processTable(surroundings: Surroundings): ServiceProcess[] {
  return [
    internal(surroundings, 'account', {}),
    internal(surroundings, 'submission', {
      SSS_BILLING_URL: rpcUrl(surroundings, 'billing'),
      SSS_PAGES_URL: `http://127.0.0.1:${surroundings.ports.pages}`,
      SSS_PRODUCTION_PAGES_URL: `http://127.0.0.1:${surroundings.ports.productionPages}`,
    }),
    documentService(surroundings),
    internal(surroundings, 'billing', {}),
    internal(surroundings, 'webhook', {
      SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
      SSS_ALLOWED_CIDRS: '127.0.0.0/8',
      SSS_EXTRA_CA_FILE: surroundings.certificates.authority,
    }),
    gateway(
      surroundings,
      'gateway',
      { http: 'gateway', pages: 'pages', private: 'gatewayPrivate' },
      { SSS_ENVIRONMENT: 'sandbox' },
    ),
    gateway(
      surroundings,
      'production',
      { http: 'production', pages: 'productionPages', private: 'productionPrivate' },
      { SSS_ENVIRONMENT: 'production', SSS_PRODUCTION_ENABLED: 'true' },
    ),
  ];
}

function documentService(surroundings: Surroundings): ServiceProcess {
  const { uploads } = surroundings.ports;
  const document = internal(surroundings, 'document', {
    SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
    ...store(surroundings),
    SSS_UPLOAD_PORT: String(uploads),
    SSS_UPLOAD_URL: `http://127.0.0.1:${uploads}`,
  });
  return { ...document, preparation: ['migrate', 'set-up-store'] };
}

/** The scanner of documents, a second process of the document service. */
export function scannerProcess(surroundings: Surroundings): ServiceProcess {
  const { ports } = surroundings;
  const document = internal(surroundings, 'document', {
    ...store(surroundings),
    ...surroundings.nats.environmentOf('scanner'),
    SSS_RPC_HTTP1_PORT: String(ports.scannerHttp1),
    SSS_RPC_H2C_PORT: String(ports.scannerH2c),
    SSS_CLAMD: `tcp://127.0.0.1:${ports.clamd}`,
    SSS_SCAN_WITH_ANY_SIGNATURES: 'true',
  });
  // The document service itself has prepared what they share.
  const preparation: readonly Preparation[] = [];
  return { ...document, name: 'scanner', entry: 'scanner', readyPort: ports.scannerHttp1, preparation };
}

/** Where a service answers Connect over HTTP/1.1. */
export function rpcUrl({ ports }: Pick<Surroundings, 'ports'>, service: ServiceWithDatabase): string {
  return `http://127.0.0.1:${ports[`${service}Http1`]}`;
}

/** Where the processes of the document service keep files. */
function store({ state }: Surroundings): Record<string, string> {
  return { SSS_STORE: 'disk', SSS_STORE_DIR: state.documents };
}

function internal(
  { state, ports, nats, databases }: Surroundings,
  service: ServiceWithDatabase,
  own: Record<string, string>,
): ServiceProcess {
  return {
    name: service,
    service,
    entry: 'main',
    preparation: ['migrate'],
    readyPort: ports[`${service}Http1`],
    isBusy: BUSY.has(service),
    asOwner: ownerOf('SSS_DATABASE_URL', databases[service]),
    env: {
      ...DEPLOYMENT,
      SSS_HOST: '127.0.0.1',
      SSS_RPC_HTTP1_PORT: String(ports[`${service}Http1`]),
      SSS_RPC_H2C_PORT: String(ports[`${service}H2c`]),
      SSS_DATABASE_URL: databases[service]?.runtimeUrl ?? '',
      ...nats.environmentOf(service),
      SSS_ISSUERS_FILE: issuersFile(state.identity),
      SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, service),
      SSS_KEY_RING_FILE: keyRingFile(state.keyRings, service),
      ...own,
    },
  };
}

function gateway(
  surroundings: Surroundings,
  name: 'gateway' | 'production',
  listens: {
    http: 'gateway' | 'production';
    pages: 'pages' | 'productionPages';
    private: 'gatewayPrivate' | 'productionPrivate';
  },
  own: Record<string, string>,
): ServiceProcess {
  const { state, ports, nats, databases } = surroundings;
  const limits = databases[limitsDatabase];
  return {
    name,
    service: 'gateway',
    entry: 'main',
    // A role that may not makes no table.
    preparation: limits && limits.runtimeUrl !== limits.ownerUrl ? ['migrate'] : [],
    readyPort: ports[listens.private],
    isBusy: true,
    asOwner: ownerOf('SSS_LIMITS_DATABASE_URL', limits),
    env: {
      ...DEPLOYMENT,
      SSS_HOST: '127.0.0.1',
      SSS_HTTP_PORT: String(ports[listens.http]),
      SSS_PAGES_PORT: String(ports[listens.pages]),
      SSS_PRIVATE_PORT: String(ports[listens.private]),
      SSS_ACCOUNT_URL: rpcUrl(surroundings, 'account'),
      SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
      SSS_DOCUMENT_URL: rpcUrl(surroundings, 'document'),
      ...nats.environmentOf('gateway'),
      SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, 'gateway'),
      SSS_TRUSTED_PROXIES: LOOPBACK,
      SSS_LIMITS_DATABASE_URL: limits?.runtimeUrl ?? '',
      ...own,
    },
  };
}

/** A role that owns the database needs nothing to be granted. */
function ownerOf(variable: string, database: LocalDatabase | undefined): Record<string, string> {
  if (!database) return {};
  const { ownerUrl, runtimeUrl, runtimeRole } = database;
  return { [variable]: ownerUrl, ...(runtimeUrl === ownerUrl ? {} : { SSS_RUNTIME_ROLE: runtimeRole }) };
}

/** Paths of a service's entry files. */
export const entryFile = (checkout: string, service: string, entry: ServiceProcess['entry']) =>
  join(checkout, 'services', service, 'src', `${entry}.ts`);
export const preparationFile = (checkout: string, service: string, step: Preparation) =>
  join(checkout, 'services', service, 'src', `${step}.ts`);
