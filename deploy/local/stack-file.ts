import type { RememberedSupplier } from './seed/remembered-suppliers.ts';
import { servicesWithDatabase } from './services/process-table.ts';
import type { PortName } from './services/usual-ports.ts';
import type { Ports } from './state/ports.ts';

/** What tests and tools read about a running stack. */
export interface StackDescription {
  readonly gateway: string;
  readonly production: string;
  readonly pages: string;
  /** Health and metrics of the gateways. */
  readonly private: { readonly gateway: string; readonly production: string };
  readonly rpc: Readonly<Record<string, string>>;
  readonly rpcHttp1: Readonly<Record<string, string>>;
  readonly staffToken: string;
  readonly suppliers: Readonly<Record<string, RememberedSupplier>>;
  readonly receiver: { readonly url: string; readonly events: string };
  readonly postgres: string;
  readonly nats: string;
  /** PEM file of who has signed the certificates of a secure stack. */
  readonly authority?: string;
  readonly pids: Readonly<Record<string, number>>;
}

/** Describes the stack as it is now. */
export function describeStack(now: {
  readonly ports: Ports<PortName>;
  readonly staffToken: string;
  readonly suppliers: Readonly<Record<string, RememberedSupplier>>;
  readonly postgresUrl: string;
  readonly natsUrl: string;
  readonly authority: string | undefined;
  readonly pids: Readonly<Record<string, number>>;
}): StackDescription {
  const { ports } = now;
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return {
    gateway: at(ports.gateway),
    production: at(ports.production),
    pages: at(ports.pages),
    private: { gateway: at(ports.gatewayPrivate), production: at(ports.productionPrivate) },
    rpc: Object.fromEntries(servicesWithDatabase.map((name) => [name, at(ports[`${name}H2c`])])),
    rpcHttp1: Object.fromEntries(servicesWithDatabase.map((name) => [name, at(ports[`${name}Http1`])])),
    staffToken: now.staffToken,
    suppliers: now.suppliers,
    receiver: { url: receiverUrl(ports), events: `${at(ports.receiverEvents)}/events` },
    postgres: now.postgresUrl,
    nats: now.natsUrl,
    ...(now.authority ? { authority: now.authority } : {}),
    pids: now.pids,
  };
}

export const receiverUrl = (ports: Ports<PortName>) => `https://127.0.0.1:${ports.receiver}`;
