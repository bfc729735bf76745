import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';

const REREAD_MS = 10_000;

/** The tokens that authenticate this process to others, one per audience. */
export interface ServiceTokens {
  tokenFor(audience: string): Promise<string>;
}

/** Reads tokens from files named after audiences, again after 10 s. Keeps the last if unreadable. */
export function serviceTokens(dir: string): ServiceTokens {
  const held = new Map<string, { token: Promise<string>; until: number }>();

  async function read(audience: string, previous: Promise<string> | undefined): Promise<string> {
    try {
      return (await readFile(join(dir, audience), 'utf8')).trim();
    } catch (cause) {
      if (previous) return previous;
      held.delete(audience);
      throw new ConnectError(
        'no token for the called service',
        Code.Unavailable,
        undefined,
        undefined,
        cause,
      );
    }
  }

  return {
    tokenFor(audience) {
      const current = held.get(audience);
      if (current && current.until > performance.now()) return current.token;
      const token = read(audience, current?.token);
      held.set(audience, { token, until: performance.now() + REREAD_MS });
      return token;
    },
  };
}
