/** Maximum sessions. Beyond it, the least recently used one is dropped. */
export const MAX_SESSIONS = 1_000;
/** Maximum sessions per person: enough for several browsers, but bounds a leak. */
export const MOST_OF_PERSON = 10;

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

export interface StoredSession {
  readonly person: Person;
  readonly tokens: Tokens;
  /** In milliseconds, as the other times. */
  readonly usedAt: number;
  /** When the login expires regardless of activity. */
  readonly endsAt: number;
}

/** Where sessions are kept, by the digests of their ids. */
export interface SessionStore {
  /** Adds a session, and drops those not used since `unusedSince` and those beyond the maximum. */
  add(digest: string, session: StoredSession, unusedSince: number): Promise<void>;
  read(digest: string): Promise<StoredSession | undefined>;
  use(digest: string, at: number): Promise<void>;
  /** Returns whether this process renews the tokens: false while another one does, at most until `until`. */
  beginRenewal(digest: string, now: number, until: number): Promise<boolean>;
  /** Replaces the tokens and person of a session that still exists, and ends the renewal. */
  renew(digest: string, by: Pick<StoredSession, 'person' | 'tokens'>): Promise<void>;
  endRenewal(digest: string): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Returns the digests of the removed sessions. */
  removeAllOf(subject: string): Promise<readonly string[]>;
  /** Returns those of the sessions that exist. */
  existing(digests: readonly string[]): Promise<ReadonlySet<string>>;
  count(unusedSince: number, now: number): Promise<number>;
}
