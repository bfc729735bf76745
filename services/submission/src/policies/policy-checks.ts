import type { Logger } from '@supplier/lib/log';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import type { PolicyViolation } from '../domain/policy.ts';
import type { KnownPolicyKind } from '../domain/policy-kinds.ts';
import { PolicyHeldOn, PolicyThread } from './policy-thread.ts';
import type { Checked } from './thread-asks.ts';

const MAX_WAITING = 24;
/** A thread takes some 20 MiB and a third of a second to start: it is kept for as long as somebody changes a text. */
const KEPT_MS = 60_000;

/** What is wrong with a text that took too long. */
export const HELD_ON: readonly PolicyViolation[] = [
  {
    rule: '',
    place: 'the text',
    message: 'Checking it took too long or too much memory: make its conditions simpler.',
  },
];

/** The answer for a text that took too long; throws any other error. */
export function checkedOrHeldOn(error: unknown): Checked {
  if (error instanceof PolicyHeldOn) return { violations: HELD_ON };
  throw error;
}

/** Checks the texts of policies that people send, one after the other, on a thread that a text cannot hold. */
export class PolicyChecks {
  readonly #log: Logger;
  readonly #start: () => PolicyThread;
  #thread: PolicyThread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(log: Logger, start: () => PolicyThread = () => new PolicyThread()) {
    this.#log = log;
    this.#start = start;
  }

  /** What a text says, or what is wrong with it. SERVICE_UNAVAILABLE while very many are being checked. */
  async check(kind: KnownPolicyKind, text: string): Promise<Checked> {
    if (this.#waiting >= MAX_WAITING)
      throw refuse(
        RefusalCode.SERVICE_UNAVAILABLE,
        'Many policies are being checked: try again in a moment.',
      );
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#checkNow(kind, text));
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #checkNow(kind: KnownPolicyKind, text: string): Promise<Checked> {
    clearTimeout(this.#idle);
    const thread = this.#thread && !this.#thread.ended ? this.#thread : this.#start();
    this.#thread = thread;
    try {
      return await thread.ask('check', { kind, text });
    } catch (error) {
      this.#thread = undefined;
      this.#log.warn(
        { reason: error instanceof PolicyHeldOn ? error.message : 'failed' },
        'policy not checked',
      );
      return checkedOrHeldOn(error);
    } finally {
      this.#keep();
    }
  }

  /** A thread for longer work, to be given back when that is done. Texts are checked on another meanwhile. */
  borrowThread(): PolicyThread {
    clearTimeout(this.#idle);
    const isFree = this.#waiting === 0 && this.#thread && !this.#thread.ended;
    const thread = (isFree && this.#thread) || this.#start();
    if (thread === this.#thread) this.#thread = undefined;
    return thread;
  }

  /** Keeps a thread that was borrowed for the next text, unless it has ended or there is another already. */
  release(thread: PolicyThread): void {
    if (thread.ended) return;
    if (this.#thread) return void thread.close();
    this.#thread = thread;
    this.#keep();
  }

  #keep(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), KEPT_MS).unref();
  }

  /** Ends the thread; the next text starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}
