import type { AccountId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import type { AllMatchHashes } from '../model/match-hashes.ts';

/** A submission whose customer's keys are locked to record or decide it. */
export interface KeyHolder extends AllMatchHashes {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/**
 * The advisory locks of the match keys of submissions, in the order in which every transaction takes them. Only the
 * transaction that holds those of a customer records and decides its submissions.
 */
export function lockKeysOf(holders: readonly KeyHolder[]): bigint[] {
  return [...new Set(holders.flatMap(locksOf))].sort((a, b) => (a < b ? -1 : 1));
}

/**
 * In the sandbox customers of different accounts have nothing to do with each other. While digest keys are rotated,
 * processes with different rings share at least one key: the one that all still write under, or that all write under
 * already.
 */
function locksOf(holder: KeyHolder): bigint[] {
  const { environment, accountId, hashesUnderOtherKeys } = holder;
  const account =
    environment === Environment.SANDBOX ? BigInt(`0x${accountId.replaceAll('-', '').slice(16)}`) : 0n;
  const scope = BigInt.asIntN(64, account) ^ BigInt(environment);
  const hashes = [holder, ...hashesUnderOtherKeys].flatMap((all) => [
    all.companyHash,
    all.telephoneHash,
    all.emailHash,
  ]);
  return hashes.flatMap((hash) =>
    hash ? [Buffer.from(hash.buffer, hash.byteOffset, 8).readBigInt64BE(0) ^ scope] : [],
  );
}
