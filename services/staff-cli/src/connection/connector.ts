import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ServiceName } from '../services.ts';
import type { Context } from './context.ts';
import type { Tls } from './endpoints.ts';
import { forwardPort, type PortForward } from './kube/port-forward.ts';

/** An address that accepts connections, with its TLS settings. */
export interface ServiceAddress {
  readonly url: string;
  readonly tls: Tls;
}

/** Connections to a context's services, for the duration of a command. */
export interface ServiceConnector {
  /** Prepares access to a service, once. Throws CommandFailure. */
  to(service: ServiceName): Promise<ServiceAddress>;
  /** Returns the reason why a connection to a service failed, if known. */
  lastErrorOf(service: ServiceName): Promise<string | undefined>;
  close(): void;
}

export function openConnector(
  context: Context,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): ServiceConnector {
  const opened = new Map<ServiceName, Promise<ServiceAddress>>();
  const forwards = new Map<ServiceName, PortForward>();
  // Stops forwards that are still starting when the command ends.
  const closed = new AbortController();
  const ended = AbortSignal.any([signal, closed.signal]);

  async function open(service: ServiceName): Promise<ServiceAddress> {
    const { url, tls } = context.services[service];
    if (url !== undefined) return { url, tls };
    if (!context.kube)
      throw new CommandFailure(
        exitCodes.usage,
        `${context.name} has no address for the ${service} service: set it with \`sss contexts add ${context.name} --service ${service} --url …\``,
      );
    const forward = await forwardPort(context.kube, service, timeoutMs, ended);
    forwards.set(service, forward);
    return { url: `https://127.0.0.1:${forward.port}`, tls };
  }

  return {
    to(service) {
      const address = opened.get(service) ?? open(service);
      opened.set(service, address);
      return address;
    },
    lastErrorOf: async (service) => forwards.get(service)?.lastError(),
    close() {
      closed.abort();
      for (const forward of forwards.values()) forward.close();
    },
  };
}
