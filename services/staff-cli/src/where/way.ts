import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ServiceName } from '../services.ts';
import type { Context } from './context.ts';
import type { Tls } from './endpoints.ts';
import { forwardPort, type PortForward } from './kube/port-forward.ts';

/** An address that accepts connections, with its TLS settings. */
export interface Reached {
  readonly url: string;
  readonly tls: Tls;
}

/** Connections to a context's services, for the duration of a command. */
export interface Way {
  /** Prepares access to a service, once. Throws CommandFailure. */
  to(service: ServiceName): Promise<Reached>;
  /** Returns the reason why a connection to a service failed, if known. */
  complaintOf(service: ServiceName): Promise<string | undefined>;
  close(): void;
}

export function openWay(
  context: Context,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Way {
  const opened = new Map<ServiceName, Promise<Reached>>();
  const forwards = new Map<ServiceName, PortForward>();
  // Stops forwards that are still starting when the command ends.
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);

  async function open(service: ServiceName): Promise<Reached> {
    const { url, tls } = context.services[service];
    if (url !== undefined) return { url, tls };
    if (!context.kube)
      throw new CommandFailure(
        exitCodes.usage,
        `${context.name} has no address of the ${service} service: \`sss contexts add ${context.name} --service ${service} --url …\` gives it one`,
      );
    const forward = await forwardPort(context.kube, service, timeoutMs, ended);
    forwards.set(service, forward);
    return { url: `https://127.0.0.1:${forward.port}`, tls };
  }

  return {
    to(service) {
      const way = opened.get(service) ?? open(service);
      opened.set(service, way);
      return way;
    },
    complaintOf: async (service) => forwards.get(service)?.lastComplaint(),
    close() {
      over.abort();
      for (const forward of forwards.values()) forward.close();
    },
  };
}
