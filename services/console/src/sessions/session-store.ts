/** Maximum sessions. Beyond it, the least recently used one is dropped. */
export const MAX_SESSIONS = 1_000;
/** Maximum sessions per person: enough for several browsers, but bounds a leak. */
export const MOST_OF_PERSON = 10;
/** How long a process may renew a session's tokens before another one may. */
export const LEASE_MS = 15_000;

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

export interface SessionContents {
  readonly person: Person;
  readonly tokens: Tokens;
  /** When the login expires regardless of activity, in milliseconds. */
  readonly endsAt: number;
}

export interface StoredSession extends SessionContents {
  readonly unusedMs: number;
  /** Changes whenever the contents change. */
  readonly version: string;
}

/** Where sessions are kept, by the digests of their ids. */
export interface SessionStore {
  /** Adds a session that is used now, and drops those of its person beyond the maximum. */
  add(digest: string, contents: SessionContents): Promise<void>;
  read(digest: string): Promise<StoredSession | undefined>;
  use(digest: string): Promise<void>;
  /**
   * Returns a lease to renew the tokens of that version. Returns undefined while another process has one, and when
   * there is no such version.
   */
  beginRenewal(digest: string, version: string): Promise<string | undefined>;
  /** Replaces the contents. Returns false, and changes nothing, if the lease or the session has ended. */
  renew(digest: string, lease: string, contents: SessionContents): Promise<boolean>;
  endRenewal(digest: string, lease: string): Promise<void>;
  /** Removes a session, or only that version of it. Returns whether it did. */
  remove(digest: string, version?: string): Promise<boolean>;
  /** Removes this session and all others of its person. Returns their digests. */
  removeAllOf(digest: string): Promise<readonly string[]>;
  /** Returns those of the sessions that exist. */
  existing(digests: readonly string[]): Promise<ReadonlySet<string>>;
  count(): Promise<number>;
}
