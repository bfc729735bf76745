import { join } from 'node:path';
import type { Certificates } from '../identity/certificates.ts';
import { keyRingFile } from '../identity/key-rings.ts';
import { issuersFile, tokenFolder } from '../identity/token-issuer.ts';
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
  readonly env: Readonly<Record<string, string>>;
  readonly readyPort: number;
  readonly database: ServiceWithDatabase | undefined;
}

export interface Surroundings {
  readonly state: StateFolder;
  readonly ports: Ports<PortName>;
  readonly certificates: Certificates;
  readonly natsUrl: string;
  readonly databaseUrls: Readonly<Record<string, string>>;
}

/** Loopback in both families: the tests come from many addresses by way of X-Forwarded-For. */
const LOOPBACK = '127.0.0.0/8,::1/128';

/** Every service process of the local stack. */
export function processTable(surroundings: Surroundings): ServiceProcess[] {
  return [
    internal(surroundings, 'account', {}),
    internal(surroundings, 'submission', {
      SSS_BILLING_URL: rpcUrl(surroundings, 'billing'),
      SSS_PAGES_URL: `http://127.0.0.1:${surroundings.ports.pages}`,
      SSS_PRODUCTION_PAGES_URL: `http://127.0.0.1:${surroundings.ports.productionPages}`,
    }),
    internal(surroundings, 'document', {}),
    internal(surroundings, 'billing', {}),
    internal(surroundings, 'webhook', {
      SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
      SSS_ALLOWED_CIDRS: '127.0.0.0/8',
      SSS_EXTRA_CA_FILE: surroundings.certificates.authority,
    }),
    gateway(surroundings, 'gateway', { http: 'gateway', pages: 'pages' }, { SSS_ENVIRONMENT: 'sandbox' }),
    gateway(
      surroundings,
      'production',
      { http: 'production', pages: 'productionPages' },
      { SSS_ENVIRONMENT: 'production', SSS_PRODUCTION_ENABLED: 'true' },
    ),
  ];
}

/** Where a service answers Connect over HTTP/1.1. */
export function rpcUrl({ ports }: Pick<Surroundings, 'ports'>, service: ServiceWithDatabase): string {
  return `http://127.0.0.1:${ports[`${service}Http1`]}`;
}

function internal(
  { state, ports, natsUrl, databaseUrls }: Surroundings,
  service: ServiceWithDatabase,
  own: Record<string, string>,
): ServiceProcess {
  return {
    name: service,
    service,
    database: service,
    readyPort: ports[`${service}Http1`],
    env: {
      SSS_HOST: '127.0.0.1',
      SSS_RPC_HTTP1_PORT: String(ports[`${service}Http1`]),
      SSS_RPC_H2C_PORT: String(ports[`${service}H2c`]),
      SSS_DATABASE_URL: databaseUrls[service] ?? '',
      SSS_NATS_URL: natsUrl,
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
  listens: { http: 'gateway' | 'production'; pages: 'pages' | 'productionPages' },
  own: Record<string, string>,
): ServiceProcess {
  const { state, ports, natsUrl, databaseUrls } = surroundings;
  return {
    name,
    service: 'gateway',
    database: undefined,
    readyPort: ports[listens.pages],
    env: {
      SSS_HOST: '127.0.0.1',
      SSS_HTTP_PORT: String(ports[listens.http]),
      SSS_PAGES_PORT: String(ports[listens.pages]),
      SSS_ACCOUNT_URL: rpcUrl(surroundings, 'account'),
      SSS_SUBMISSION_URL: rpcUrl(surroundings, 'submission'),
      SSS_DOCUMENT_URL: rpcUrl(surroundings, 'document'),
      SSS_NATS_URL: natsUrl,
      SSS_SERVICE_TOKEN_DIR: tokenFolder(state.identity, 'gateway'),
      SSS_TRUSTED_PROXIES: LOOPBACK,
      SSS_LIMITS_DATABASE_URL: databaseUrls[limitsDatabase] ?? '',
      ...own,
    },
  };
}

/** Paths of a service's entry files. */
export const mainFile = (checkout: string, service: string) =>
  join(checkout, 'services', service, 'src', 'main.ts');
export const migrateFile = (checkout: string, service: string) =>
  join(checkout, 'services', service, 'src', 'migrate.ts');
