import { Code, ConnectError } from '@connectrpc/connect';
import { generateCredential } from '@supplier/lib/rpc/credential';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { AccountId } from '@supplier/lib/text/ids';
import { LRUCache } from 'lru-cache';
import { PublicError } from '../errors/public-error.ts';
import type { AccountCalls } from '../service-calls.ts';
import { type KnownCredential, toKnownCredential } from './known-credential.ts';

/** How stale an answer may be when no event says that it changed. */
const KNOWN_TTL_MS = 30_000;
const UNKNOWN_TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;
const MAX_LOOKUPS = 256;
/** Lookups of unknown ids that share one call, and that wait for the next. */
const MAX_DUMMIES_PER_CALL = 1_000;
const MAX_DUMMIES_WAITING = 4_000;

/** Asks the account service; undefined for a public id that was never issued. */
export type LookUp = (publicId: string) => Promise<KnownCredential | undefined>;

/**
 * Credentials by public id: at most 10,000 known ones for 30 s, or until their terms change, and 10,000 unknown ids for 5 s, kept apart so that
 * guesses push out no supplier. Simultaneous questions about one id are one call; at most 256 calls run at a time.
 * A failed call is not remembered. Implements docs/contract.md, section 4.
 */
export class CredentialCache {
  readonly #lookUp: LookUp;
  readonly #known: LRUCache<string, KnownCredential>;
  readonly #unknown: LRUCache<string, true>;
  readonly #monotonicNow: () => number;
  readonly #lookups = new Map<string, Promise<KnownCredential | undefined>>();
  /** Rises when something is forgotten: a call that began before may have read the old state. */
  #generation = 0;

  constructor(lookUp: LookUp, monotonicNow: () => number = () => performance.now()) {
    const options = { max: MAX_ENTRIES, ttlResolution: 0, perf: { now: monotonicNow } };
    this.#lookUp = lookUp;
    this.#monotonicNow = monotonicNow;
    this.#known = new LRUCache({ ...options, ttl: KNOWN_TTL_MS });
    this.#unknown = new LRUCache({ ...options, ttl: UNKNOWN_TTL_MS });
  }

  /** The credential, or undefined when none has this id. Rejects when nobody can tell right now. */
  async find(publicId: string): Promise<KnownCredential | undefined> {
    const known = this.#known.get(publicId);
    if (known) return known;
    if (this.#unknown.has(publicId)) return undefined;
    return this.#lookups.get(publicId) ?? this.#start(publicId);
  }

  /** Whether `find` answers without a call of its own. */
  knows(publicId: string): boolean {
    return this.#known.has(publicId) || this.#unknown.has(publicId);
  }

  /**
   * Looks up an id that was never issued, and takes as long. Callers that come while such a lookup is under way share
   * the next one: strangers cause one call at a time, however many they are. Never rejects.
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

  /** Forgets the account's credentials; what calls under way answer is not kept either. */
  forgetAccount(accountId: AccountId): void {
    for (const [publicId, credential] of this.#known.entries()) {
      if (credential.accountId === accountId) this.#known.delete(publicId);
    }
    this.#disownLookups();
  }

  /** Forgets everything, for when events may have been missed. */
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

  /** For 30 s, and no longer than its terms hold: those that follow count from their first moment on. */
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

/** Asks the account service about a public id. Its NOT_FOUND is an answer, every other error is passed on. */
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
