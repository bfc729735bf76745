import { Resolver } from 'node:dns/promises';

/** The addresses of a host name, IPv4 first. Rejects when there are none, and when `signal` is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const TRIES = 3;
/** How long to wait for the other address family once one is known: some name servers never answer for IPv6. */
const OTHER_FAMILY_MS = 1_000;

/**
 * Asks `servers`, by default the system's name servers, directly. Unlike with the system's resolver, a hanging name
 * server blocks no thread, and the signal ends the query: one endpoint's dead DNS must not hold up the others.
 */
export function resolvingBy(servers?: readonly string[]): ResolveHost {
  return async (hostname, signal) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    const waits: NodeJS.Timeout[] = [];
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled(
        [resolver.resolve4(hostname), resolver.resolve6(hostname)].map(async (query) => {
          const addresses = await query;
          if (addresses.length > 0) waits.push(setTimeout(cancel, OTHER_FAMILY_MS));
          return addresses;
        }),
      );
      signal.throwIfAborted();
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0)
        throw new Error('host name has no address', { cause: firstReason(answers) });
      return addresses;
    } finally {
      for (const wait of waits) clearTimeout(wait);
      signal.removeEventListener('abort', cancel);
    }
  };
}

export const resolveByDns = resolvingBy();

function firstReason(answers: PromiseSettledResult<string[]>[]): unknown {
  return answers.find((answer) => answer.status === 'rejected')?.reason;
}
