import { Code, ConnectError } from '@connectrpc/connect';
import { generateCredential } from '@supplier/lib/rpc/credential';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { AccountId } from '@supplier/lib/text/ids';
import { LRUCache } from 'lru-cache';
import { PublicError } from '../errors/public-error.ts';
import type { AccountCalls } from '../service-calls.ts';
import { type KnownCredential, toKnownCredential } from './known-credential.ts';

/** Maximum age of a cached answer when no event reports a change. */
const KNOWN_TTL_MS = 30_000;
const UNKNOWN_TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;
const MAX_LOOKUPS = 256;
/** Number of dummy lookups that share one call, and that can wait for the next call. */
const MAX_DUMMIES_PER_CALL = 1_000;
const MAX_DUMMIES_WAITING = 4_000;

/** Asks the account service; returns undefined for a public id that was never issued. */
export type LookUp = (publicId: string) => Promise<KnownCredential | undefined>;

/**
 * Caches credentials by public id: at most 10,000 known ones for 30 s or until their terms change, and 10,000 unknown
 * ids for 5 s, kept apart so that guesses evict no supplier. Concurrent lookups of one id share a call; at most 256
 * calls run at a time. Failed calls are not cached. Implements docs/contract.md, section 4.
 */
export class CredentialCache {
  readonly #lookUp: LookUp;
  readonly #known: LRUCache<string, KnownCredential>;
  readonly #unknown: LRUCache<string, true>;
  readonly #monotonicNow: () => number;
  readonly #lookups = new Map<string, Promise<KnownCredential | undefined>>();
  /** Increases whenever something is forgotten: a call that began before may have read the old state. */
  #generation = 0;

  constructor(lookUp: LookUp, monotonicNow: () => number = () => performance.now()) {
    const options = { max: MAX_ENTRIES, ttlResolution: 0, perf: { now: monotonicNow } };
    this.#lookUp = lookUp;
    this.#monotonicNow = monotonicNow;
    this.#known = new LRUCache({ ...options, ttl: KNOWN_TTL_MS });
    this.#unknown = new LRUCache({ ...options, ttl: UNKNOWN_TTL_MS });
  }

  /** Returns the credential, or undefined when no credential has this id. Rejects when the lookup fails. */
  async find(publicId: string): Promise<KnownCredential | undefined> {
    const known = this.#known.get(publicId);
    if (known) return known;
    if (this.#unknown.has(publicId)) return undefined;
    return this.#lookups.get(publicId) ?? this.#start(publicId);
  }

  /** Returns whether `find` answers from the cache. */
  knows(publicId: string): boolean {
    return this.#known.has(publicId) || this.#unknown.has(publicId);
  }

  /**
   * Looks up an id that was never issued, to take the same time as a real lookup. Callers that arrive during such a
   * lookup share the next one: failed authentications cause one call at a time in total. Never rejects.
   */
  async dummyLookup(): Promise<void> {
    await this.#dummyLookup().catch(() => {});
  }

  readonly #dummyLookup = (() => {
    const ask = groupCommit<undefined, undefined>({
      maxGroup: MAX_DUMMIES_PER_CALL,
      maxQueue: MAX_DUMMIES_WAITING,
      lanes: 1,
      flush: async (waiting) => {
        await this.#lookUp(generateCredential('x', 'test').publicId);
        return waiting.map(() => undefined);
      },
      overloaded: () => new Error('too many failed authentications'),
    });
    return () => ask(undefined);
  })();

  /** Forgets the account's credentials and discards the results of calls in flight. */
  forgetAccount(accountId: AccountId): void {
    for (const [publicId, credential] of this.#known.entries()) {
      if (credential.accountId === accountId) this.#known.delete(publicId);
    }
    this.#disownLookups();
  }

  /** Forgets everything; used when events may have been missed. */
  clear(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#disownLookups();
  }

  #disownLookups(): void {
    this.#lookups.clear();
    this.#generation += 1;
  }

  #start(publicId: string): Promise<KnownCredential | undefined> {
    if (this.#lookups.size >= MAX_LOOKUPS) {
      throw new PublicError('service_unavailable', { cause: new Error('too many credential lookups') });
    }
    const lookup = this.#ask(publicId, this.#generation);
    this.#lookups.set(publicId, lookup);
    return lookup;
  }

  /**
   * Caches a credential for 30 s, but no longer than its terms hold: scheduled terms apply from their first instant.
   */
  #remember(publicId: string, found: KnownCredential, askedAt: number): void {
    const { termsHoldForMs = Number.POSITIVE_INFINITY } = found;
    const left = termsHoldForMs - (this.#monotonicNow() - askedAt);
    if (left > 0) this.#known.set(publicId, found, { ttl: Math.min(KNOWN_TTL_MS, left) });
  }

  async #ask(publicId: string, generation: number): Promise<KnownCredential | undefined> {
    const askedAt = this.#monotonicNow();
    try {
      const found = await this.#lookUp(publicId);
      if (generation !== this.#generation) return found;
      if (found) this.#remember(publicId, found, askedAt);
      else this.#unknown.set(publicId, true);
      return found;
    } finally {
      if (generation === this.#generation) this.#lookups.delete(publicId);
    }
  }
}

/**
 * Creates a lookup that asks the account service about a public id. NOT_FOUND counts as an answer; other errors are
 * rethrown.
 */
export function lookUpCredential(account: AccountCalls): LookUp {
  return async (publicId) => {
    try {
      return toKnownCredential(await account.resolveCredential({ publicId }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}

function isNotFound(error: unknown): boolean {
  if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return true;
  return error instanceof ConnectError && error.code === Code.NotFound;
}
