import type { KeyRing } from '@supplier/lib/data/crypto';
import { z } from 'zod';
import type { SessionId } from '../sessions/sessions.ts';
import type { Attempt } from './identity-provider.ts';

/** How long a login may take, in seconds. */
export const LOGIN_SECONDS = 600;
/** A value that was sealed as something else doesn't open as a login. */
const PLACE = { table: 'login', column: 'cookie', row: '' };

const begunLogin = z.object({
  attempt: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  path: z.string(),
  replaces: z
    .string()
    .transform((id) => id as SessionId)
    .optional(),
  endsAt: z.number(),
});

/** A login in progress, and the console path to return to. */
export interface BegunLogin {
  readonly attempt: Attempt;
  readonly path: string;
  /** The session this browser had when the login began. Its cookie isn't sent on the redirect from another site. */
  readonly replaces: SessionId | undefined;
}

/**
 * Seals logins in progress into a cookie of the browser that began them. The server keeps no state for abandoned
 * logins, so a flood of them can't evict anyone's. Every process with the key ring can finish them.
 */
export interface BegunLogins {
  seal(login: BegunLogin): string;
  /** Returns undefined for a value that was not sealed under a key of the ring, was changed, or has expired. */
  open(sealed: string): BegunLogin | undefined;
}

export function begunLogins(keys: KeyRing, now: () => number): BegunLogins {
  return {
    seal(login) {
      const text = JSON.stringify({ ...login, endsAt: now() + LOGIN_SECONDS * 1_000 });
      return Buffer.from(keys.seal(Buffer.from(text), PLACE)).toString('base64url');
    },
    open(sealed) {
      const opened = textIn(keys, sealed);
      const { data } = begunLogin.safeParse(opened && JSON.parse(opened));
      return data && data.endsAt > now() ? { ...data, replaces: data.replaces } : undefined;
    },
  };
}

function textIn(keys: KeyRing, sealed: string): string | undefined {
  try {
    return Buffer.from(keys.open(Buffer.from(sealed, 'base64url'), PLACE)).toString();
  } catch {
    return undefined;
  }
}
