import { randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';
import type { SessionId } from '../sessions/sessions.ts';
import type { Attempt } from './identity-provider.ts';

/** How long a login may take, in seconds. */
export const LOGIN_SECONDS = 600;

const begunLogin = z.object({
  attempt: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  path: z.string(),
  replaces: z
    .string()
    .transform((id) => id as SessionId)
    .optional(),
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
 * logins, so a flood of them can't evict anyone's. The key belongs to the process: a restart invalidates them.
 */
export interface BegunLogins {
  seal(login: BegunLogin): Promise<string>;
  /** Returns undefined for a value that was not sealed here, was changed, or has expired. */
  open(sealed: string): Promise<BegunLogin | undefined>;
}

export function begunLogins(now: () => number): BegunLogins {
  const key = randomBytes(32);
  return {
    seal: (login) =>
      new EncryptJWT({ login })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(Math.floor(now() / 1_000) + LOGIN_SECONDS)
        .encrypt(key),
    async open(sealed) {
      const opened = await jwtDecrypt(sealed, key, {
        currentDate: new Date(now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      }).catch(() => undefined);
      const { data } = begunLogin.safeParse(opened?.payload.login);
      return data && { ...data, replaces: data.replaces };
    },
  };
}
