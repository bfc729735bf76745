import type { Clock } from '@supplier/lib/time';
import type { GatewayContext } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import type { Limit, Verdict } from '../limits/limit.ts';

/** Goes on with a request that passes under a limit, at once where nobody has to be asked, and refuses any other. */
export function passUnder(
  limit: Limit,
  { checkLimit, clock }: Pick<GatewayContext, 'checkLimit' | 'clock'>,
  done: (error?: PublicError) => void,
): void {
  const settle = (verdict: Verdict) => (verdict.passes ? done() : done(rateLimited(limit, verdict, clock)));
  const verdict = checkLimit(limit);
  if (verdict instanceof Promise) void verdict.then(settle);
  else settle(verdict);
}

/**
 * The refusal that a verdict asks for, with the four headers of the contract: whole seconds until the next request can
 * pass, the allowance, what is left of it, and that moment as a Unix timestamp. Implements docs/contract.md, sections
 * 8 and 9.
 */
export function rateLimited(
  { most }: Limit,
  { retryMs }: Extract<Verdict, { passes: false }>,
  clock: Clock,
): PublicError {
  const now = clock.now().getTime();
  const seconds = Math.max(1, Math.ceil(retryMs / 1000));
  return new PublicError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-limit': String(most),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil((now + retryMs) / 1000)),
    },
  });
}
