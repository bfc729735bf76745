import { randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';
import type { SessionId } from '../sessions/sessions.ts';
import type { Attempt } from './identity-provider.ts';

/** How long somebody may take to log in, in seconds. */
export const LOGIN_SECONDS = 600;

const begunLogin = z.object({
  attempt: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  path: z.string(),
  replaces: z
    .string()
    .transform((id) => id as SessionId)
    .optional(),
});

/** A login that was begun, and the path of the console that it leads back to. */
export interface BegunLogin {
  readonly attempt: Attempt;
  readonly path: string;
  /** The session that this browser had when it began. Its cookie does not come back from another site. */
  readonly replaces: SessionId | undefined;
}

/**
 * Logins that were begun, sealed for the browsers that began them: nothing is kept for those that never come back, so that
 * no flood of them can push out anybody's. The key is the process's own: a restart ends them.
 */
export interface BegunLogins {
  seal(login: BegunLogin): Promise<string>;
  /** Undefined for what was not sealed here, was changed, or is over. */
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
