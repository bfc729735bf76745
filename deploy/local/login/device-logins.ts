import { randomBytes, randomInt } from 'node:crypto';

/** How long a code can be approved, in seconds. */
export const CODE_SECONDS = 600;
/** How often a device may ask, in seconds. */
export const INTERVAL_SECONDS = 1;
/** How long a token is good, in minutes. */
export const TOKEN_MINUTES = 60;
/** Codes that wait at the same time. */
const MAX_WAITING = 100;
/** Consonants, so that no code is a word, as RFC 8628 suggests. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** What a device is told when it asks for its token: the token, or one of RFC 8628's errors. */
export type TokenAnswer =
  | { readonly token: string }
  | { readonly error: 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' };

/** Devices that wait for somebody to say who uses them (RFC 8628). */
export interface DeviceLogins {
  /** A new pair of codes; undefined while too many wait. */
  begin(): { readonly deviceCode: string; readonly userCode: string } | undefined;
  /** Says who uses the device that shows a code, or, without a name, that nobody should. False for an unknown code. */
  decide(userCode: string, person: Person | undefined): boolean;
  ask(deviceCode: string): Promise<TokenAnswer>;
}

export interface Person {
  readonly name: string;
  readonly roles: readonly string[];
}

interface Login {
  readonly userCode: string;
  readonly endsAt: number;
  askedAt: number;
  /** Null when it was denied, undefined while nobody has said. */
  person?: Person | null;
}

export function deviceLogins(means: {
  readonly issue: (person: Person, minutes: number) => Promise<string>;
  readonly now: () => number;
}): DeviceLogins {
  const waiting = new Map<string, Login>();

  function forgetOld(): void {
    for (const [code, { endsAt }] of waiting) if (endsAt <= means.now()) waiting.delete(code);
  }

  return {
    begin() {
      forgetOld();
      if (waiting.size >= MAX_WAITING) return undefined;
      const deviceCode = randomBytes(32).toString('base64url');
      const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
      const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
      waiting.set(deviceCode, { userCode, endsAt: means.now() + CODE_SECONDS * 1_000, askedAt: 0 });
      return { deviceCode, userCode };
    },
    decide(userCode, person) {
      forgetOld();
      const wanted = plain(userCode);
      const login = [...waiting.values()].find((one) => plain(one.userCode) === wanted);
      if (!login || login.person !== undefined) return false;
      login.person = person ?? null;
      return true;
    },
    async ask(deviceCode) {
      forgetOld();
      const login = waiting.get(deviceCode);
      if (!login) return { error: 'expired_token' };
      const tooSoon = means.now() - login.askedAt < INTERVAL_SECONDS * 900;
      login.askedAt = means.now();
      if (login.person === undefined) return { error: tooSoon ? 'slow_down' : 'authorization_pending' };
      // A code is good for one token.
      waiting.delete(deviceCode);
      if (login.person === null) return { error: 'access_denied' };
      return { token: await means.issue(login.person, TOKEN_MINUTES) };
    },
  };
}

/** People leave the hyphen out, and write small letters. */
const plain = (code: string) => code.toUpperCase().replace(/[^A-Z]/g, '');
