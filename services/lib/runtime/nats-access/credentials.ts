import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  usernamePasswordAuthenticator,
} from '@nats-io/nats-core';
import { z } from 'zod';
import { ConfigError } from '../config/index.ts';

const MAX_BYTES = 65_536;
const userAndPassword = z.object({ user: z.string().min(1), password: z.string() });

/**
 * Opens a credentials file in any of the usual forms: `{"user": …, "password": …}`, a `.creds` file of `nsc`, or the
 * seed of an nkey. It is read again for every connection, so new credentials need no restart; if it is unreadable then,
 * `onUnreadable` is called and the previous credentials are used. Throws a ConfigError if it is unreadable now. No
 * error repeats its content.
 */
export function openCredentialsFile(path: string, onUnreadable: (error: Error) => void): Authenticator {
  let current = read(path);
  return (nonce) => {
    try {
      current = read(path);
    } catch (error) {
      onUnreadable(error as Error);
    }
    return current(nonce);
  };
}

function read(path: string): Authenticator {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ConfigError('SSS_NATS_CREDENTIALS_FILE must name a readable file', { cause });
  }
  const authenticator = bytes.length > MAX_BYTES ? undefined : authenticatorOf(bytes.toString('utf8').trim());
  if (authenticator) return authenticator;
  throw new ConfigError(
    'SSS_NATS_CREDENTIALS_FILE must have {"user", "password"}, a .creds file or an nkey seed',
  );
}

function authenticatorOf(text: string): Authenticator | undefined {
  try {
    if (text.startsWith('{')) {
      const { user, password } = userAndPassword.parse(JSON.parse(text));
      return usernamePasswordAuthenticator(user, password);
    }
    const authenticator = text.startsWith('S') ? seed(text) : credsAuthenticator(Buffer.from(`${text}\n`));
    // Fails now instead of in the middle of a connection.
    authenticator('nonce');
    return authenticator;
  } catch {
    return undefined;
  }
}

function seed(text: string): Authenticator {
  const bytes = Buffer.from(text);
  nkeys.fromSeed(bytes);
  return nkeyAuthenticator(bytes);
}
