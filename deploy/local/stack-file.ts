import { LOGIN_CLIENT, loginUrl } from './login/clients.ts';
import type { RememberedSupplier } from './seed/seed-suppliers.ts';
import {
  grpcUrl,
  privateUrl,
  rpcUrl,
  type Surroundings,
  servicesWithDatabase,
} from './services/process-table.ts';
import type { PortName } from './services/usual-ports.ts';
import type { Ports } from './state/ports.ts';

/** What tests and tools read about a running stack: stack.json. */
export type StackDescription = ReturnType<typeof describeStack>;

export function describeStack(now: {
  readonly ports: Ports<PortName>;
  readonly parts: Surroundings['parts'];
  readonly staffToken: string;
  readonly suppliers: Readonly<Record<string, RememberedSupplier>>;
  readonly postgresUrl: string;
  readonly databases: Surroundings['databases'];
  readonly natsUrl: string;
  readonly pids: Readonly<Record<string, number>>;
  readonly spans?: string;
}) {
  const { ports, parts } = now;
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const ofEach = (url: typeof rpcUrl): Record<string, string> =>
    Object.fromEntries(servicesWithDatabase.map((name) => [name, url(now, name)]));
  const listeners: Record<string, string> = {
    gateway: at(ports.gatewayPrivate),
    production: at(ports.productionPrivate),
    ...ofEach(privateUrl),
  };
  const scraped = { ...listeners, scanner: privateUrl(now, 'scanner') };
  return {
    gateway: at(ports.gateway),
    production: at(ports.production),
    pages: at(ports.pages),
    /** Health and metrics of each process. */
    private: listeners,
    metrics: Object.fromEntries(Object.entries(scraped).map(([name, url]) => [name, `${url}/metrics`])),
    rpc: ofEach(grpcUrl),
    rpcHttp1: ofEach(rpcUrl),
    /** With TLS: PEM files for a client from outside. */
    ...(parts && { tls: parts.operator }),
    staffToken: now.staffToken,
    /** Where staff log in, as `sss login` does. */
    login: { issuer: loginUrl(ports.login), clientId: LOGIN_CLIENT },
    /** The staff console, once it runs. */
    ...(now.pids.console !== undefined && { console: at(ports.console) }),
    suppliers: now.suppliers,
    receiver: { url: receiverUrl(ports), events: `${at(ports.receiverEvents)}/events` },
    /** For the superuser. */
    postgres: now.postgresUrl,
    /** The database URL of each service, for the role that migrates it. */
    databases: Object.fromEntries(
      servicesWithDatabase.map((name) => [name, now.databases[name]?.ownerUrl ?? '']),
    ),
    nats: now.natsUrl,
    pids: now.pids,
    /** The file of spans, one line of JSON per span. */
    ...(now.spans !== undefined && { spans: now.spans }),
  };
}

export const receiverUrl = (ports: Ports<PortName>) => `https://127.0.0.1:${ports.receiver}`;
