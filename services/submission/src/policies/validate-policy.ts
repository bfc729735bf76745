import type { Context, PolicyRpcs } from '../context.ts';
import { requestedKind } from './requested-policy.ts';

/**
 * The violations of a text, each with its rule and place; none if it can be stored and activated. Checked on a thread
 * that it cannot block. SERVICE_UNAVAILABLE while very many are being checked. Implements docs/contract.md, section 5.
 */
export function validatePolicy({
  policyChecks,
}: Pick<Context, 'policyChecks'>): PolicyRpcs['validatePolicy'] {
  return async ({ kind, text }) => {
    const read = await policyChecks.check(requestedKind(kind), text);
    return { violations: 'violations' in read ? read.violations.map((violation) => ({ ...violation })) : [] };
  };
}
