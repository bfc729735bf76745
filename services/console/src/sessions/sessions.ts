import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Person, SessionStore, StoredSession, Tokens } from './session-store.ts';

/** A token that expires within this time is renewed before use. */
const RENEW_BEFORE_MS = 60_000;
/** Longer than the identity provider may take. */
const RENEWAL_MS = 15_000;
const RENEWAL_POLL_MS = 100;
/** The use of a session is stored at most this often. */
const USE_EVERY_MS = 10_000;

export interface Session {
  readonly person: Person;
  /** When the login expires regardless of activity, in milliseconds. */
  readonly endsAt: number;
  /** Aborts when the session is ended early, so that open streams stop. */
  readonly ended: AbortSignal;
}

/** What a call may use. */
export interface Admission {
  readonly token: string;
  readonly person: Person;
  /** How long the session lasts if it is not used again. */
  readonly remainingMs: number;
}

/** A session id. It is a secret of its browser. */
export type SessionId = string & { readonly __brand: 'SessionId' };

export interface SessionMeans {
  readonly store: SessionStore;
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

/** Begins, renews and ends sessions. Their tokens never reach a browser, and only digests of their ids are kept. */
export class Sessions {
  readonly #means: SessionMeans;
  readonly #renewals = new Map<string, Promise<void>>();
  /** Of the sessions that had a stream in this process. */
  readonly #ends = new Map<string, AbortController>();

  constructor(means: SessionMeans) {
    this.#means = means;
  }

  async begin(person: Person, tokens: Tokens): Promise<SessionId> {
    const now = this.#means.now();
    const id = randomBytes(32).toString('base64url') as SessionId;
    const session = { person, tokens, usedAt: now, endsAt: now + this.#means.longestMs };
    await this.#means.store.add(digestOf(id), session, now - this.#means.idleMs);
    return id;
  }

  /** Returns the session, or undefined once it is over. Does not count as use. */
  async find(id: SessionId): Promise<Session | undefined> {
    const digest = digestOf(id);
    const held = await this.#find(digest);
    const ended = () => this.#endOf(digest).signal;
    return (
      held && {
        ...{ person: held.person, endsAt: held.endsAt },
        get ended() {
          return ended();
        },
      }
    );
  }

  /**
   * Returns a token for a call made now, with its person. With `isUse`, the session counts as used.
   * Returns undefined when the session is over: because it timed out, or because its token expired and the identity
   * provider does not renew it, or renews it for another person, without a subject or without a role, which ends the
   * session. Rejects when the token has expired while the provider can't be reached; the session resumes once it can.
   */
  async tokenOf(id: SessionId, isUse: boolean): Promise<Admission | undefined> {
    const digest = digestOf(id);
    const { store, now } = this.#means;
    const found = await this.#find(digest);
    if (!found) return undefined;
    if (isUse && now() - found.usedAt >= USE_EVERY_MS) await store.use(digest, now());
    const held = isUse ? { ...found, usedAt: now() } : found;
    const isGood = ({ tokens }: StoredSession) => tokens.endsAt > now();
    let current: StoredSession | undefined = held;
    if (held.tokens.endsAt - now() <= RENEW_BEFORE_MS) {
      try {
        await this.#renewed(digest, held);
      } catch (error) {
        if (!isGood(held)) throw error;
      }
      // The session may have ended in the meantime.
      current = await this.#find(digest);
    }
    if (current && isGood(current)) {
      const { person, tokens } = current;
      return { token: tokens.accessToken, person, remainingMs: this.#overAt(current) - now() };
    }
    await this.#drop(digest);
    return undefined;
  }

  /** Ends this session. */
  end(id: SessionId): Promise<void> {
    return this.#drop(digestOf(id));
  }

  /** Ends every session of this session's person: a logout applies to all their browsers. */
  async endAllOf(id: SessionId): Promise<void> {
    const held = await this.#find(digestOf(id));
    if (!held) return;
    for (const digest of await this.#means.store.removeAllOf(held.person.subject)) this.#abort(digest);
  }

  count(): Promise<number> {
    const { store, now, idleMs } = this.#means;
    return store.count(now() - idleMs, now());
  }

  /** Stops the streams of sessions that other processes have ended. */
  async stopEnded(): Promise<void> {
    if (this.#ends.size === 0) return;
    const existing = await this.#means.store.existing([...this.#ends.keys()]);
    for (const digest of this.#ends.keys()) if (!existing.has(digest)) this.#abort(digest);
  }

  /** Concurrent calls share one renewal. */
  #renewed(digest: string, held: StoredSession): Promise<void> {
    const { refreshToken } = held.tokens;
    if (refreshToken === undefined) return Promise.resolve();
    const begun = this.#renewals.get(digest);
    if (begun) return begun;
    const renewal = this.#renew(digest, held, refreshToken).finally(() => this.#renewals.delete(digest));
    this.#renewals.set(digest, renewal);
    return renewal;
  }

  /** Reads the person again, because roles may have been granted or revoked since. */
  async #renew(digest: string, held: StoredSession, refreshToken: string): Promise<void> {
    const { store, now, renew } = this.#means;
    if (!(await store.beginRenewal(digest, now(), now() + RENEWAL_MS)))
      return this.#awaitRenewal(digest, held);
    // Another process may have finished a renewal between the read and the start of this one.
    const current = await store.read(digest);
    if (current?.tokens.accessToken !== held.tokens.accessToken) return store.endRenewal(digest);
    try {
      const tokens = await renew(refreshToken);
      if (!tokens) return await store.endRenewal(digest);
      const person = this.#personIn(tokens);
      if (person?.subject !== held.person.subject || person.roles.length === 0) await this.#drop(digest);
      else await store.renew(digest, { tokens, person });
    } catch (error) {
      await store.endRenewal(digest);
      throw error;
    }
  }

  /** Waits for the renewal of another process, unless the current token is good until then. */
  async #awaitRenewal(digest: string, { tokens }: StoredSession): Promise<void> {
    for (
      let waited = 0;
      tokens.endsAt <= this.#means.now() && waited < RENEWAL_MS;
      waited += RENEWAL_POLL_MS
    ) {
      await pause(RENEWAL_POLL_MS);
      const current = await this.#means.store.read(digest);
      if (current?.tokens.accessToken !== tokens.accessToken) return;
    }
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

  async #find(digest: string): Promise<StoredSession | undefined> {
    const held = await this.#means.store.read(digest);
    if (!held || this.#overAt(held) > this.#means.now()) return held;
    await this.#drop(digest);
    return undefined;
  }

  #overAt({ endsAt, usedAt }: StoredSession): number {
    return Math.min(endsAt, usedAt + this.#means.idleMs);
  }

  #endOf(digest: string): AbortController {
    const known = this.#ends.get(digest) ?? new AbortController();
    this.#ends.set(digest, known);
    return known;
  }

  #abort(digest: string): void {
    this.#ends.get(digest)?.abort();
    this.#ends.delete(digest);
  }

  async #drop(digest: string): Promise<void> {
    await this.#means.store.remove(digest);
    this.#abort(digest);
  }
}

const digestOf = (id: SessionId) => createHash('sha256').update(id).digest('base64');
