import type { Clock } from '@supplier/lib/time';
import { PublicError } from '../errors/public-error.ts';
import type { Limit, Verdict } from '../limits/limit.ts';

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
