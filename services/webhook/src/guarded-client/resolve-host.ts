import { Resolver } from 'node:dns/promises';

/** The addresses of a host name, IPv4 first. Rejects when there are none, and when `signal` is aborted. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 2_500;
const TRIES = 3;

/**
 * Asks the system's name servers directly. A name server that hangs occupies no thread and is given up when the signal
 * says so, which the system's own resolver could not be: one endpoint's dead DNS must not hold up the others.
 */
export const resolveByDns: ResolveHost = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    signal.throwIfAborted();
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('the name has no address', { cause: firstReason(answers) });
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

function firstReason(answers: PromiseSettledResult<string[]>[]): unknown {
  return answers.find((answer) => answer.status === 'rejected')?.reason;
}
