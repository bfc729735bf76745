import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { MatchKey } from '@supplier/proto/submission/v1/timeline';
import { type AllMatchHashes, hasHash } from './match-hashes.ts';
import type { Match } from './match-keys.ts';

/** The fields for matching a submission. Compared hashes use the same digest key. */
export interface Matchable extends AllMatchHashes {
  readonly id: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly receivedAt: Date;
}

/** Reports whether nothing says that a production submission is no duplicate. */
export function isUnidentified(submission: Omit<Matchable, 'receivedAt'>): boolean {
  return submission.environment === Environment.PRODUCTION && !hasHash(submission);
}

const DAY_MS = 86_400_000;

/**
 * Indexes the submissions of one transaction by customer, since one submission of a set can make the next a duplicate.
 * Two are from one customer when they name one company, or share a telephone or email without naming two companies; in
 * the sandbox only within one account. Implements docs/contract.md, section 5.
 */
export class Customers {
  readonly #windowMs: number;
  readonly #byKey = new Map<string, Matchable[]>();

  /** Looks back `windowDays` from the time of receipt. */
  constructor(windowDays: number) {
    this.#windowMs = windowDays * DAY_MS;
  }

  add(submission: Matchable): void {
    for (const key of keysOf(submission)) {
      const known = this.#byKey.get(key);
      if (known) known.push(submission);
      else this.#byKey.set(key, [submission]);
    }
  }

  /** Finds a submission from the same customer that was received after this one, or within the window before it. */
  find(submission: Matchable): Match | undefined {
    const since = submission.receivedAt.getTime() - this.#windowMs;
    for (const text of keysOf(submission)) {
      const other = this.#byKey
        .get(text)
        ?.find(
          (candidate) =>
            candidate.receivedAt.getTime() >= since &&
            (text.startsWith('c') || candidate.companyHash === null || submission.companyHash === null),
        );
      if (other) return { id: other.id, key: KINDS[text.charAt(0)] ?? MatchKey.UNSPECIFIED };
    }
    return undefined;
  }
}

const KINDS: Readonly<Record<string, MatchKey>> = {
  c: MatchKey.COMPANY_NUMBER,
  t: MatchKey.TELEPHONE,
  e: MatchKey.EMAIL,
};

function keysOf(submission: Matchable): string[] {
  const { environment, accountId, companyHash, telephoneHash, emailHash } = submission;
  const scope = environment === Environment.SANDBOX ? accountId : '';
  const key = (kind: string, hash: Uint8Array | null) =>
    hash ? [`${kind}${environment}${scope}${Buffer.from(hash).toString('latin1')}`] : [];
  return [...key('c', companyHash), ...key('t', telephoneHash), ...key('e', emailHash)];
}
