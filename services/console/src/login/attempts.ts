import { randomBytes } from 'node:crypto';
import type { Attempt } from './identity-provider.ts';

/** How long somebody may take to log in, in seconds. */
export const ATTEMPT_SECONDS = 600;
const MOST = 1_000;

/** A login that was begun, and the path of the console that it leads back to. */
export interface BegunLogin {
  readonly attempt: Attempt;
  readonly path: string;
}

/** Logins that were begun and have not come back. The oldest make room: nobody is kept out by those that never do. */
export class Attempts {
  readonly #now: () => number;
  readonly #begun = new Map<string, BegunLogin & { readonly endsAt: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves to the id that the browser keeps. */
  keep(login: BegunLogin): string {
    for (const [id, { endsAt }] of this.#begun)
      if (endsAt <= this.#now() || this.#begun.size >= MOST) this.#begun.delete(id);
    const id = randomBytes(32).toString('base64url');
    this.#begun.set(id, { ...login, endsAt: this.#now() + ATTEMPT_SECONDS * 1_000 });
    return id;
  }

  /** Each is taken once. */
  take(id: string): BegunLogin | undefined {
    const found = this.#begun.get(id);
    this.#begun.delete(id);
    return found && found.endsAt > this.#now() ? found : undefined;
  }
}
