import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  LEASE_MS,
  type Person,
  type SessionContents,
  type SessionStore,
  type StoredSession,
  type Tokens,
} from './session-store.ts';

/** A token that expires within this time is renewed before use. */
const RENEW_BEFORE_MS = 60_000;
const RENEWAL_POLL_MS = 100;
/** Enough to take over from a process that was killed. */
const WAIT_MS = LEASE_MS + 1_000;
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

/** The token has expired, and the identity provider doesn't renew it now. The session resumes once it does. */
export class NotRenewed extends Error {}

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
    const id = randomBytes(32).toString('base64url') as SessionId;
    const { store, now, longestMs } = this.#means;
    await store.add(digestOf(id), { person, tokens, endsAt: now() + longestMs });
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
   * session. Rejects with a NotRenewed when the token has expired while the provider can't be reached.
   */
  async tokenOf(id: SessionId, isUse: boolean): Promise<Admission | undefined> {
    const digest = digestOf(id);
    const { store, now } = this.#means;
    const found = await this.#find(digest);
    if (!found) return undefined;
    if (isUse && found.unusedMs >= USE_EVERY_MS) await store.use(digest);
    let current: StoredSession | undefined = found;
    if (found.tokens.endsAt - now() <= RENEW_BEFORE_MS) {
      try {
        await this.#renewed(digest, found);
      } catch (error) {
        if (!this.#isGood(found)) throw error;
      }
      // The session may have been renewed or ended in the meantime.
      current = await this.#find(digest);
    }
    if (!current) return undefined;
    if (!this.#isGood(current)) throw new NotRenewed('the token has expired');
    const { person, tokens } = current;
    const remainingMs = this.#remaining(isUse ? { ...current, unusedMs: 0 } : current);
    return { token: tokens.accessToken, person, remainingMs };
  }

  /** Ends this session. */
  async end(id: SessionId): Promise<void> {
    await this.#means.store.remove(digestOf(id));
    this.#abort(digestOf(id));
  }

  /** Ends every session of this session's person: a logout applies to all their browsers. */
  async endAllOf(id: SessionId): Promise<void> {
    for (const digest of await this.#means.store.removeAllOf(digestOf(id))) this.#abort(digest);
  }

  count(): Promise<number> {
    return this.#means.store.count();
  }

  /** Stops the streams of sessions that other processes have ended. */
  async stopEnded(): Promise<void> {
    const asked = [...this.#ends.keys()];
    if (asked.length === 0) return;
    const existing = await this.#means.store.existing(asked);
    for (const digest of asked) if (!existing.has(digest)) this.#abort(digest);
  }

  /** Stops all streams. Their sessions continue. */
  stopStreams(): void {
    for (const digest of this.#ends.keys()) this.#abort(digest);
  }

  /** Concurrent calls share one renewal. */
  #renewed(digest: string, held: StoredSession): Promise<void> {
    const { refreshToken } = held.tokens;
    if (refreshToken === undefined) return this.#dropExpired(digest, held);
    const begun = this.#renewals.get(digest);
    if (begun) return begun;
    const renewal = this.#renew(digest, held, refreshToken).finally(() => this.#renewals.delete(digest));
    this.#renewals.set(digest, renewal);
    return renewal;
  }

  /** Reads the person again, because roles may have been granted or revoked since. */
  async #renew(digest: string, held: StoredSession, refreshToken: string): Promise<void> {
    const { store, renew } = this.#means;
    const lease = await this.#lease(digest, held);
    if (lease === undefined) return;
    const until = performance.now() + LEASE_MS;
    try {
      const tokens = await renew(refreshToken).catch((cause: unknown) => {
        throw new NotRenewed('the identity provider does not answer', { cause });
      });
      if (!tokens) return await this.#dropExpired(digest, held);
      const person = this.#personIn(tokens);
      if (person?.subject !== held.person.subject || person.roles.length === 0)
        await this.#drop(digest, held);
      else await this.#keep(digest, lease, { tokens, person, endsAt: held.endsAt }, until);
    } finally {
      // The lease ends in any case.
      await store.endRenewal(digest, lease).catch(() => {});
    }
  }

  /**
   * Returns a lease for the renewal. Returns undefined if the session needs none: another process has renewed or ended
   * it, or is renewing it while the current token is good.
   */
  async #lease(digest: string, held: StoredSession): Promise<string | undefined> {
    const { store } = this.#means;
    for (const until = performance.now() + WAIT_MS; ; await pause(RENEWAL_POLL_MS)) {
      const lease = await store.beginRenewal(digest, held.version);
      if (lease !== undefined || this.#isGood(held)) return lease;
      if ((await store.read(digest))?.version !== held.version) return undefined;
      if (performance.now() > until) throw new NotRenewed('another process does not end its renewal');
    }
  }

  /** Stores renewed tokens. Retries until the lease ends, because the previous refresh token is spent. */
  async #keep(digest: string, lease: string, contents: SessionContents, until: number): Promise<void> {
    for (;;) {
      try {
        await this.#means.store.renew(digest, lease, contents);
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await pause(RENEWAL_POLL_MS);
      }
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
    if (!held || this.#remaining(held) > 0) return held;
    await this.#drop(digest, held);
    return undefined;
  }

  #remaining({ endsAt, unusedMs }: StoredSession): number {
    const { now, idleMs } = this.#means;
    return Math.min(endsAt - now(), idleMs - unusedMs);
  }

  #isGood({ tokens }: StoredSession): boolean {
    return tokens.endsAt > this.#means.now();
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

  async #dropExpired(digest: string, held: StoredSession): Promise<void> {
    if (!this.#isGood(held)) await this.#drop(digest, held);
  }

  /** Ends the session unless another process has renewed it since. */
  async #drop(digest: string, { version }: StoredSession): Promise<void> {
    if (await this.#means.store.remove(digest, version)) this.#abort(digest);
  }
}

const digestOf = (id: SessionId) => createHash('sha256').update(id).digest('base64');
