import { invalid } from '@supplier/lib/rpc/refusal';
import { type AccountId, parseId } from '@supplier/lib/text/ids';
import type { SubmissionReference } from '@supplier/proto/submission/v1/list_held';
import type { Context, Rpcs } from '../context.ts';
import { findHeld, type ReferenceKey } from './legal-holds.sql.ts';

/**
 * Those of up to 100 references whose submissions are under legal hold, without further data: other services remove
 * nothing of a submission while it is held. Implements docs/contract.md, section 10.
 */
export function listHeld({ pool }: Context): Rpcs['listHeld'] {
  return async ({ references }) => ({ references: await findHeld(pool, references.map(keyOf)) });
}

function keyOf(
  { accountId, environment, externalReference }: SubmissionReference,
  index: number,
): ReferenceKey {
  const id = parseId<AccountId>(accountId);
  if (!id) throw invalid(`references.${index}.account_id`, 'must be a UUID');
  return { accountId: id, environment, externalReference };
}
