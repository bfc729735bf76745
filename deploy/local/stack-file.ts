import type { Certificates } from './identity/make-certificates.ts';
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

/** What tests and tools read about a running stack. */
export interface StackDescription {
  readonly gateway: string;
  readonly production: string;
  readonly pages: string;
  /** Health and metrics of each process. */
  readonly private: Readonly<Record<string, string>>;
  /** Pages of metrics, of every process that runs. */
  readonly metrics: Readonly<Record<string, string>>;
  readonly rpc: Readonly<Record<string, string>>;
  readonly rpcHttp1: Readonly<Record<string, string>>;
  /** Where the parts talk over TLS: PEM files for a client from outside. */
  readonly tls?: Certificates;
  readonly staffToken: string;
  /** Where staff log in, as `sss login` does. */
  readonly login: { readonly issuer: string; readonly clientId: string };
  /** The staff's console, once it runs. */
  readonly console?: string;
  readonly suppliers: Readonly<Record<string, RememberedSupplier>>;
  readonly receiver: { readonly url: string; readonly events: string };
  /** As the administrator reaches it. */
  readonly postgres: string;
  /** The database of each service, as the role that migrates it does. */
  readonly databases: Readonly<Record<string, string>>;
  readonly nats: string;
  readonly pids: Readonly<Record<string, number>>;
  /** Where the processes trace: the file of their spans, one line of JSON for each. */
  readonly spans?: string;
}

/** Describes the stack as it is now. */
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
}): StackDescription {
  const { ports, parts } = now;
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const ofEach = (url: typeof rpcUrl) =>
    Object.fromEntries(servicesWithDatabase.map((name) => [name, url(now, name)]));
  const listeners = {
    gateway: at(ports.gatewayPrivate),
    production: at(ports.productionPrivate),
    ...ofEach(privateUrl),
  };
  // Where there is no clamd, nobody scans.
  const scraped =
    now.pids.scanner === undefined ? listeners : { ...listeners, scanner: privateUrl(now, 'scanner') };
  return {
    gateway: at(ports.gateway),
    production: at(ports.production),
    pages: at(ports.pages),
    private: listeners,
    metrics: Object.fromEntries(Object.entries(scraped).map(([name, url]) => [name, `${url}/metrics`])),
    rpc: ofEach(grpcUrl),
    rpcHttp1: ofEach(rpcUrl),
    ...(parts ? { tls: parts.operator } : {}),
    staffToken: now.staffToken,
    login: { issuer: loginUrl(ports.login), clientId: LOGIN_CLIENT },
    ...(now.pids.console === undefined ? {} : { console: at(ports.console) }),
    suppliers: now.suppliers,
    receiver: { url: receiverUrl(ports), events: `${at(ports.receiverEvents)}/events` },
    postgres: now.postgresUrl,
    databases: Object.fromEntries(
      servicesWithDatabase.map((name) => [name, now.databases[name]?.ownerUrl ?? '']),
    ),
    nats: now.natsUrl,
    pids: now.pids,
    ...(now.spans === undefined ? {} : { spans: now.spans }),
  };
}

export const receiverUrl = (ports: Ports<PortName>) => `https://127.0.0.1:${ports.receiver}`;
