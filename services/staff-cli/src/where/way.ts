import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ServiceName } from '../services.ts';
import type { Context } from './context.ts';
import type { Tls } from './endpoints.ts';
import { forwardPort, type PortForward } from './kube/port-forward.ts';

/** What can be connected to. */
export interface Reached {
  readonly url: string;
  readonly tls: Tls;
}

/** The way to the services of a context, for as long as a command takes. */
export interface Way {
  /** Opens the way to a service, once. Throws CommandFailure. */
  to(service: ServiceName): Promise<Reached>;
  /** What is known of why a connection to a service came to nothing. */
  complaintOf(service: ServiceName): Promise<string | undefined>;
  close(): void;
}

export function openWay(
  context: Context,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Way {
  const opened = new Map<ServiceName, Promise<Reached>>();
  const forwards = new Map<ServiceName, PortForward>();
  // What is still being opened when the command is over is not to stay.
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
