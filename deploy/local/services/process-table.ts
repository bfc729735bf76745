import type { Part } from '../identity/certificates.ts';
import { EVENT_CONSUMERS, eventKeysFolder, keyRingFile } from '../identity/key-rings.ts';
import type { Certificates } from '../identity/make-certificates.ts';
import { issuersFile, tokenFolder } from '../identity/token-issuer.ts';
import { CONSOLE_CLIENT, loginUrl } from '../login/clients.ts';
import type { LocalNats } from '../nats/access.ts';
import type { LocalDatabase } from '../postgres/databases.ts';
import type { Ports } from '../state/ports.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { PortName } from './usual-ports.ts';

export const servicesWithDatabase = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
export type ServiceWithDatabase = (typeof servicesWithDatabase)[number];
/** The gateways' shared limits. */
export const limitsDatabase = 'limits';

export interface ServiceProcess {
  readonly name: string;
  readonly service: string;
  readonly entry: 'main' | 'scanner';
  readonly env: Readonly<Record<string, string>>;
  readonly readyPort: number;
  /** Whether every submission passes through it. */
  readonly isBusy: boolean;
  /** Whether only few people use it. */
  readonly isSmall?: boolean;
  /** The setting that it loosens even with TLS. */
  readonly loosens: string | undefined;
  readonly preparation: readonly Preparation[];
  /** Settings of the migrate command, which works as the owner of the database. */
  readonly asOwner: Readonly<Record<string, string>>;
}

/** Services that every submission passes through, beside the gateways. */
const BUSY: ReadonlySet<string> = new Set(['submission', 'billing', 'webhook']);
/** The service that authenticates its events, and those that consume them. */
const WITH_EVENT_KEYS: ReadonlySet<string> = new Set(['submission', ...EVENT_CONSUMERS]);

/** Preparing commands of a service: one migrates its database, one creates the folders of its store. */
export type Preparation = 'migrate' | 'set-up-store';

export interface Surroundings {
  readonly state: StateFolder;
  readonly ports: Ports<PortName>;
  /** Certificates, with TLS. */
  readonly parts: Readonly<Record<Part, Certificates>> | undefined;
  readonly certificates: Certificates;
  readonly nats: LocalNats;
  readonly databases: Readonly<Record<string, LocalDatabase>>;
  /** The share of exported traces, up to 1; undefined without tracing. */
  readonly tracedShare?: number | undefined;
}

/** Allows tests to send X-Forwarded-For. */
const LOOPBACK = '127.0.0.0/8,::1/128';

const at = (port: number) => `http://127.0.0.1:${port}`;

/** Returns every service process of the local stack. */
export function processTable(surroundings: Surroundings): ServiceProcess[] {
  const { ports, certificates } = surroundings;
  const urlOf = (service: ServiceWithDatabase) => rpcUrl(surroundings, service);
  return [
    internal(surroundings, 'account', { SSS_FOUR_EYES: 'off' }),
    internal(
      surroundings,
      'submission',
      {
        SSS_FOUR_EYES: 'off',
        SSS_DOCUMENT_URL: urlOf('document'),
        SSS_WEBHOOK_URL: urlOf('webhook'),
        SSS_PAGES_URL: at(ports.pages),
        SSS_PRODUCTION_PAGES_URL: at(ports.productionPages),
      },
      'pages are reached over plain HTTP',
    ),
    internal(
      surroundings,
      'document',
      {
        SSS_SUBMISSION_URL: urlOf('submission'),
        ...store(surroundings),
        SSS_UPLOAD_PORT: String(ports.uploads),
        SSS_UPLOAD_URL: at(ports.uploads),
      },
      'documents are uploaded over plain HTTP',
    ),
    internal(surroundings, 'billing', {
      SSS_ACCOUNT_URL: urlOf('account'),
      SSS_SUBMISSION_URL: urlOf('submission'),
    }),
    internal(
      surroundings,
      'webhook',
      {
        SSS_ACCOUNT_URL: urlOf('account'),
        SSS_SUBMISSION_URL: urlOf('submission'),
        SSS_ALLOWED_CIDRS: '127.0.0.0/8',
        SSS_EXTRA_CA_FILE: certificates.authority,
      },
      'webhooks may go to loopback addresses and to a certificate authority of its own',
    ),
    gateway(surroundings, 'gateway', { SSS_ENVIRONMENT: 'sandbox' }),
    gateway(
      surroundings,
      'production',
      { SSS_ENVIRONMENT: 'production', SSS_PRODUCTION_ENABLED: 'true' },
      'the production gateway is on a loopback address',
    ),
  ];
}

/** Returns the document scanner, a second process of the document service. */
export const scannerProcess = (surroundings: Surroundings): ServiceProcess =>
  internal(
    surroundings,
    'scanner',
    {
      ...store(surroundings),
      SSS_CLAMD: `tcp://127.0.0.1:${surroundings.ports.clamd}`,
      SSS_SCAN_WITH_ANY_SIGNATURES: 'true',
    },
    'documents of the sandbox are scanned with whatever signatures there are',
  );

/** Returns the staff console. The stack's own login issues its users' tokens. */
export function consoleProcess(surroundings: Surroundings): ServiceProcess {
  const { ports, parts } = surroundings;
  const loosens = 'staff log in to the console over plain HTTP';
  const targets = servicesWithDatabase.map((name) => [
    `SSS_${name.toUpperCase()}_URL`,
    rpcUrl(surroundings, name),
  ]);
  return {
    ...{ name: 'console', service: 'console', entry: 'main', loosens },
    ...{ preparation: [], asOwner: {} },
    readyPort: ports.consolePrivate,
    ...{ isBusy: false, isSmall: true },
    env: {
      ...deployment(surroundings, loosens),
      ...(parts ? tls(parts.operator) : {}),
      SSS_HOST: '127.0.0.1',
      SSS_HTTP_PORT: String(ports.console),
      SSS_PRIVATE_PORT: String(ports.consolePrivate),
      SSS_CONSOLE_URL: at(ports.console),
      SSS_OIDC_ISSUER_URL: loginUrl(ports.login),
      SSS_OIDC_CLIENT_ID: CONSOLE_CLIENT,
      ...Object.fromEntries(targets),
    },
  };
}

/** Returns the URL for Connect over HTTP/1.1; over TLS, gRPC over HTTP/2 too. */
export const rpcUrl = ({ ports, parts }: Addresses, service: ServiceWithDatabase): string =>
  `${parts ? 'https' : 'http'}://127.0.0.1:${ports[`${service}Http1`]}`;

/** Returns the URL for gRPC over HTTP/2. */
export const grpcUrl = ({ ports, parts }: Addresses, service: ServiceWithDatabase): string =>
  parts ? rpcUrl({ ports, parts }, service) : at(ports[`${service}H2c`]);

/** Returns the URL for probes and scrapers. */
export const privateUrl = (addresses: Addresses, process: Internal): string =>
  at(privatePort(addresses, process));

type Addresses = Pick<Surroundings, 'ports' | 'parts'>;
type Internal = ServiceWithDatabase | 'scanner';

/** With TLS, one port serves RPC, so the other one is free. */
const privatePort = ({ ports, parts }: Addresses, name: Internal) =>
  ports[`${name}${parts ? 'H2c' : 'Http1'}`];

/** Returns where the processes of the document service store files. */
const store = ({ state }: Surroundings) => ({ SSS_STORE: 'local', SSS_STORE_DIR: state.documents });

function internal(
  surroundings: Surroundings,
  name: Internal,
  own: Readonly<Record<string, string>>,
  loosens?: string,
): ServiceProcess {
  const { state, ports, parts, nats, databases } = surroundings;
  const isScanner = name === 'scanner';
  const service = isScanner ? 'document' : name;
  const listeners: Record<string, string> = parts
    ? {
        ...tls(parts[name]),
        SSS_TLS_CLIENT_CA_FILE: parts[name].authority,
        SSS_RPC_PORT: String(ports[`${name}Http1`]),
        SSS_PRIVATE_PORT: String(privatePort(surroundings, name)),
      }
    : {
        SSS_RPC_HTTP1_PORT: String(ports[`${name}Http1`]),
        SSS_RPC_H2C_PORT: String(ports[`${name}H2c`]),
      };
  return {
    ...{ name, service, entry: isScanner ? 'scanner' : 'main', loosens },
    preparation: isScanner ? [] : name === 'document' ? ['migrate', 'set-up-store'] : ['migrate'],
    readyPort: privatePort(surroundings, name),
    isBusy: BUSY.has(service),
    asOwner: ownerOf('SSS_DATABASE_URL', databases[service]),
    env: {
      ...deployment(surroundings, loosens),
      ...tracing(surroundings),
      SSS_HOST: '127.0.0.1',
      ...listeners,
      SSS_DATABASE_URL: databases[service]?.runtimeUrl ?? '',
      ...nats.environmentOf(name),
      SSS_ISSUERS_FILE: issuersFile(state.identity),
      SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, service),
      ...(isScanner ? {} : { SSS_KEY_RING_FILE: keyRingFile(state.keyRings, service) }),
      ...(WITH_EVENT_KEYS.has(name) ? { SSS_EVENT_KEYS_DIR: eventKeysFolder(state.keyRings) } : {}),
      ...own,
    },
  };
}

function gateway(
  surroundings: Surroundings,
  name: 'gateway' | 'production',
  own: Readonly<Record<string, string>>,
  loosens?: string,
): ServiceProcess {
  const { state, ports, parts, nats, databases } = surroundings;
  const limits = databases[limitsDatabase];
  const pagesPort = ports[name === 'gateway' ? 'pages' : 'productionPages'];
  const readyPort = ports[`${name}Private`];
  return {
    ...{ name, service: 'gateway', entry: 'main', loosens, readyPort, isBusy: true },
    preparation: limits && limits.runtimeUrl !== limits.ownerUrl ? ['migrate'] : [],
    asOwner: ownerOf('SSS_LIMITS_DATABASE_URL', limits),
    env: {
      ...deployment(surroundings, loosens),
      ...tracing(surroundings),
      ...(parts ? tls(parts[name]) : {}),
      SSS_HOST: '127.0.0.1',
      SSS_HTTP_PORT: String(ports[name]),
      SSS_PAGES_PORT: String(pagesPort),
      SSS_PRIVATE_PORT: String(readyPort),
      SSS_ACCOUNT_URL: rpcUrl(surroundings, 'account'),
      SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
      SSS_DOCUMENT_URL: rpcUrl(surroundings, 'document'),
      ...nats.environmentOf('gateway'),
      SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, 'gateway'),
      SSS_TRUSTED_PROXIES: LOOPBACK,
      SSS_SANDBOX_URL: at(ports.gateway),
      SSS_PRODUCTION_URL: at(ports.production),
      SSS_PAGES_URL: at(pagesPort),
      SSS_LIMITS_DATABASE_URL: limits?.runtimeUrl ?? '',
      ...own,
    },
  };
}

function ownerOf(variable: string, database: LocalDatabase | undefined): Record<string, string> {
  if (!database) return {};
  const { ownerUrl, runtimeUrl, runtimeRole } = database;
  return { [variable]: ownerUrl, ...(runtimeUrl === ownerUrl ? {} : { SSS_RUNTIME_ROLE: runtimeRole }) };
}

const tls = ({ authority, certificate, key }: Certificates): Record<string, string> => ({
  SSS_TLS_CERTIFICATE_FILE: certificate,
  SSS_TLS_KEY_FILE: key,
  SSS_TLS_CA_FILE: authority,
});

/** Returns the setting that permits what a process loosens. */
function deployment({ parts }: Surroundings, loosens: string | undefined): Record<string, string> {
  return parts === undefined || loosens ? { SSS_DEPLOYMENT: 'local' } : {};
}

function tracing({ ports, tracedShare }: Surroundings): Record<string, string> {
  if (tracedShare === undefined) return {};
  return {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: at(ports.collector),
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(tracedShare),
  };
}
