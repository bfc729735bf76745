import { createHash, randomBytes } from 'node:crypto';

/** Sessions at the same time; the one that was unused longest makes room. */
const MOST = 1_000;
/** Of one person: some browsers, not a leak. */
const MOST_OF_PERSON = 10;
/** A token that ends sooner is renewed before it is used. */
const RENEW_BEFORE_MS = 60_000;

/** What the identity provider gave out for a person. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** When the access token ends, by this machine's clock; in milliseconds. */
  readonly endsAt: number;
}

/** Who is logged in, as the newest access token says it. */
export interface Person {
  readonly subject: string;
  /** Of staff; others are not the console's business. */
  readonly roles: readonly string[];
}

export interface Session {
  readonly person: Person;
  /** When the login ends, whatever is done in it; in milliseconds. */
  readonly endsAt: number;
  /** Aborts when the session is ended before its time: what is still being sent must stop. */
  readonly ended: AbortSignal;
}

interface Held extends Session {
  readonly end: AbortController;
  person: Person;
  tokens: Tokens;
  usedAt: number;
  renewing: Promise<void> | undefined;
}

/** An id of a session: a secret of its browser. */
export type SessionId = string & { readonly __brand: 'SessionId' };

export interface SessionMeans {
  readonly now: () => number;
  readonly longestMs: number;
  readonly idleMs: number;
  /** Asks the identity provider for new tokens; undefined when it refuses. Rejects while it cannot be reached. */
  readonly renew: (refreshToken: string) => Promise<Tokens | undefined>;
  /** Whom an access token is for. Throws for one that is for nobody. */
  readonly personOf: (accessToken: string) => Person;
}

/**
 * Who is logged in, with tokens that never reach a browser. In the memory of the process: a restart logs everybody out, and
 * the identity provider logs them in again. Only digests of ids are kept.
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
    if (this.#held.size >= MOST) this.#dropLeastUsed([...this.#held]);
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

  /** The session; undefined once it is over. Looking at it is no use of it. */
  find(id: SessionId): Session | undefined {
    return this.#find(id);
  }

  /**
   * A token for a call now; with `isUse` the session counts as used. Undefined when the session is over: by time, or because its token
   * ended and the identity provider does not renew it, or renews it for somebody else, for nobody or without a role, which ends the
   * session. Rejects when the token has ended while the provider cannot be reached; the session goes on once it can.
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
    // It may have been ended meanwhile.
    if (isGood() && this.#find(id)) return held.tokens.accessToken;
    this.#drop(digestOf(id));
    return undefined;
  }

  /** Ends this session. */
  end(id: SessionId): void {
    this.#drop(digestOf(id));
  }

  /** Ends every session of the person of this one: somebody who logs out is logged out everywhere. */
  endAllOf(id: SessionId): void {
    const subject = this.#find(id)?.person.subject;
    if (subject === undefined) return;
    for (const [digest, { person }] of this.#held) if (person.subject === subject) this.#drop(digest);
  }

  /** How long the session lasts if it is not used again; in milliseconds. */
  remainingMs(id: SessionId): number {
    const held = this.#find(id);
    return held ? this.#overAt(held) - this.#means.now() : 0;
  }

  get size(): number {
    this.#forgetOver();
    return this.#held.size;
  }

  /** Calls of one moment share one renewal. */
  async #renewed(id: SessionId, held: Held): Promise<void> {
    const { refreshToken } = held.tokens;
    if (refreshToken === undefined) return;
    held.renewing ??= this.#renew(id, held, refreshToken).finally(() => {
      held.renewing = undefined;
    });
    await held.renewing;
  }

  /** What the person may do is read again: a role may have been given or taken since. */
  async #renew(id: SessionId, held: Held, refreshToken: string): Promise<void> {
    const tokens = await this.#means.renew(refreshToken);
    if (!tokens) return;
    const person = this.#personIn(tokens);
    if (person?.subject !== held.person.subject || person.roles.length === 0) this.#drop(digestOf(id));
    else Object.assign(held, { tokens, person });
  }

  /** Undefined for a token that is for nobody: the one before is spent, so that nothing is left to go on with. */
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
