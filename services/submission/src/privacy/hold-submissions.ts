import { inTransaction } from '@supplier/lib/data/postgres';
import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { AccountId } from '@supplier/lib/text/ids';
import type { SubmissionReference } from '@supplier/proto/submission/v1/list_held';
import type pg from 'pg';
import type { Context, PrivacyRpcs, Rpcs } from '../context.ts';
import { findHeld, hold, type ReferenceKey, releaseHolds, type SubjectRow } from './legal-holds.sql.ts';
import { lockAll, requestedSubmissions } from './subjects.ts';

/**
 * Puts submissions under legal hold, all or none; those already held stay held. An erasure that has not yet removed
 * anything waits from then on. Audited for each. WRONG_STATE for an erased submission, NOT_FOUND for an unknown one.
 * Implements docs/contract.md, section 10.
 */
export function holdSubmissions({ pool, clock }: Context): PrivacyRpcs['holdSubmissions'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const ids = requestedSubmissions(request.submissionIds);
    return inTransaction(pool, async (tx) => {
      const subjects = await lockAll(tx, ids);
      const erased = subjects.find(({ erased_at }) => erased_at !== null);
      if (erased) {
        const message = `Submission ${erased.id} has been erased, so it cannot be held. Nothing was changed.`;
        throw refuse(RefusalCode.WRONG_STATE, message);
      }
      const held = subjects.filter((subject) => !subject.held);
      const heldIds = held.map(({ id }) => id);
      const at = clock.now();
      if (held.length > 0) await hold(tx, heldIds, at);
      await audit(tx, call, held, at, purpose);
      return { heldIds };
    });
  };
}

/**
 * Releases submissions from legal hold. An erasure that waited for it continues immediately. Audited for each released
 * submission.
 */
export function releaseHold({ pool, clock, wakes }: Context): PrivacyRpcs['releaseHold'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const ids = requestedSubmissions(request.submissionIds);
    const releasedIds = await inTransaction(pool, async (tx) => {
      const subjects = await lockAll(tx, ids);
      const released = subjects.filter(({ held }) => held);
      const those = released.map(({ id }) => id);
      if (released.length > 0) await releaseHolds(tx, those);
      await audit(tx, call, released, clock.now(), purpose);
      return those;
    });
    wakes.erasures();
    return { releasedIds };
  };
}

async function audit(
  tx: pg.PoolClient,
  call: RpcCall,
  subjects: readonly SubjectRow[],
  at: Date,
  purpose: string,
): Promise<void> {
  const entries = subjects.map(({ id, account_id }) =>
    auditEntry(call, { at, target: id, accountId: account_id, purpose }),
  );
  await appendAudit(tx, ...entries);
}

/**
 * Returns the references, out of up to 100, whose submissions are under legal hold, without further data. Other
 * services keep all data of a submission while it is held. Implements docs/contract.md, section 10.
 */
export function listHeld({ pool }: Context): Rpcs['listHeld'] {
  return async ({ references }) => ({ references: await findHeld(pool, references.map(keyOf)) });
}

function keyOf(
  { accountId, environment, externalReference }: SubmissionReference,
  index: number,
): ReferenceKey {
  const id = requestedId<AccountId>(`references.${index}.account_id`, accountId);
  return { accountId: id, environment, externalReference };
}
