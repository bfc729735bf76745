import type { PolicyRpcs } from '../context.ts';
import { readText, requestedKind } from '../requests/requested-policy.ts';

/**
 * What is wrong with a text, each with its rule and place; nothing where it can be stored and activated. Implements
 * docs/contract.md, section 5.
 */
export function validatePolicy(): PolicyRpcs['validatePolicy'] {
  return async ({ kind, text }) => {
    const read = readText(requestedKind(kind), text);
    return { violations: 'violations' in read ? read.violations.map((violation) => ({ ...violation })) : [] };
  };
}
