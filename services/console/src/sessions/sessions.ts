import { createHash, randomBytes } from 'node:crypto';

/** Maximum concurrent sessions. Beyond it, the least recently used one is dropped. */
const MAX_SESSIONS = 1_000;
/** Maximum sessions per person: enough for several browsers, but bounds a leak. */
const MOST_OF_PERSON = 10;
/** A token that expires within this time is renewed before use. */
const RENEW_BEFORE_MS = 60_000;

/** Tokens that the identity provider issued for a person. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** When the access token expires, by this machine's clock, in milliseconds. */
  readonly endsAt: number;
}

/** The logged-in person, as in the newest access token. */
export interface Person {
  readonly subject: string;
  /** Staff roles only. */
  readonly roles: readonly string[];
}

export interface Session {
  readonly person: Person;
  /** When the login expires regardless of activity, in milliseconds. */
  readonly endsAt: number;
  /** Aborts when the session is ended early, so that open streams stop. */
  readonly ended: AbortSignal;
}

interface Held extends Session {
  readonly end: AbortController;
  person: Person;
  tokens: Tokens;
  usedAt: number;
  renewing: Promise<void> | undefined;
}

/** A session id. It is a secret of its browser. */
export type SessionId = string & { readonly __brand: 'SessionId' };

export interface SessionMeans {
  readonly now: () => number;
  readonly longestMs: number;
  readonly idleMs: number;
  /**
   * Asks the identity provider for new tokens. Returns undefined when it refuses; rejects while it can't be reached.
   */
  readonly renew: (refreshToken: string) => Promise<Tokens | undefined>;
  /** Returns the person an access token is for. Throws when it has no subject. */
  readonly personOf: (accessToken: string) => Person;
}

/**
 * Stores sessions and their tokens, which never reach a browser. They are kept in memory only: a restart logs everyone
 * out, and the identity provider logs them in again. Only digests of session ids are kept.
 */
export class Sessions {
  readonly #means: SessionMeans;
  readonly #held = new Map<string, Held>();

  constructor(means: SessionMeans) {
    this.#means = means;
  }

  begin(person: Person, tokens: Tokens): SessionId {
    const now = this.#means.now();
    this.#forgetOver();
    const own = [...this.#held].filter(([, held]) => held.person.subject === person.subject);
    if (own.length >= MOST_OF_PERSON) this.#dropLeastUsed(own);
    if (this.#held.size >= MAX_SESSIONS) this.#dropLeastUsed([...this.#held]);
    const id = randomBytes(32).toString('base64url') as SessionId;
    const end = new AbortController();
    this.#held.set(digestOf(id), {
      person,
      end,
      ended: end.signal,
      tokens,
      usedAt: now,
      endsAt: now + this.#means.longestMs,
      renewing: undefined,
    });
    return id;
  }

  /** Returns the session, or undefined once it is over. Does not count as use. */
  find(id: SessionId): Session | undefined {
    return this.#find(id);
  }

  /**
   * Returns a token for a call made now. With `isUse`, the session counts as used.
   * Returns undefined when the session is over: because it timed out, or because its token expired and the identity
   * provider does not renew it, or renews it for another person, without a subject or without a role, which ends the
   * session. Rejects when the token has expired while the provider can't be reached; the session resumes once it can.
   */
  async tokenOf(id: SessionId, isUse: boolean): Promise<string | undefined> {
    const held = this.#find(id);
    if (!held) return undefined;
    const now = this.#means.now();
    if (isUse) held.usedAt = now;
    if (held.tokens.endsAt - now > RENEW_BEFORE_MS) return held.tokens.accessToken;
    const isGood = () => held.tokens.endsAt > this.#means.now();
    try {
      await this.#renewed(id, held);
    } catch (error) {
      if (!isGood()) throw error;
    }
    // The session may have ended in the meantime.
    if (isGood() && this.#find(id)) return held.tokens.accessToken;
    this.#drop(digestOf(id));
    return undefined;
  }

  /** Ends this session. */
  end(id: SessionId): void {
    this.#drop(digestOf(id));
  }

  /** Ends every session of this session's person: a logout applies to all their browsers. */
  endAllOf(id: SessionId): void {
    const subject = this.#find(id)?.person.subject;
    if (subject === undefined) return;
    for (const [digest, { person }] of this.#held) if (person.subject === subject) this.#drop(digest);
  }

  /** Returns how long the session lasts if it is not used again, in milliseconds. */
  remainingMs(id: SessionId): number {
    const held = this.#find(id);
    return held ? this.#overAt(held) - this.#means.now() : 0;
  }

  get size(): number {
    this.#forgetOver();
    return this.#held.size;
  }

  /** Concurrent calls share one renewal. */
  async #renewed(id: SessionId, held: Held): Promise<void> {
    const { refreshToken } = held.tokens;
    if (refreshToken === undefined) return;
    held.renewing ??= this.#renew(id, held, refreshToken).finally(() => {
      held.renewing = undefined;
    });
    await held.renewing;
  }

  /** Reads the person again, because roles may have been granted or revoked since. */
  async #renew(id: SessionId, held: Held, refreshToken: string): Promise<void> {
    const tokens = await this.#means.renew(refreshToken);
    if (!tokens) return;
    const person = this.#personIn(tokens);
    if (person?.subject !== held.person.subject || person.roles.length === 0) this.#drop(digestOf(id));
    else Object.assign(held, { tokens, person });
  }

  /**
   * Returns undefined when the token has no subject or can't be read. The previous refresh token is already spent, so
   * the session can't continue.
   */
  #personIn({ accessToken }: Tokens): Person | undefined {
    try {
      return this.#means.personOf(accessToken);
    } catch {
      return undefined;
    }
  }

  #find(id: SessionId): Held | undefined {
    const digest = digestOf(id);
    const held = this.#held.get(digest);
    if (!held || !this.#isOver(held)) return held;
    this.#drop(digest);
    return undefined;
  }

  #overAt({ endsAt, usedAt }: Held): number {
    return Math.min(endsAt, usedAt + this.#means.idleMs);
  }

  #isOver(held: Held): boolean {
    return this.#overAt(held) <= this.#means.now();
  }

  #forgetOver(): void {
    for (const [digest, held] of this.#held) if (this.#isOver(held)) this.#drop(digest);
  }

  #drop(digest: string): void {
    this.#held.get(digest)?.end.abort();
    this.#held.delete(digest);
  }

  #dropLeastUsed(among: readonly (readonly [string, Held])[]): void {
    const [first] = among.toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    if (first) this.#drop(first[0]);
  }
}

const digestOf = (id: SessionId) => createHash('sha256').update(id).digest('base64');
