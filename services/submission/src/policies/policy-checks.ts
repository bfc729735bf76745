import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { Logger } from '@supplier/lib/runtime/log';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import type { PolicyViolation } from '../model/policy/policy.ts';
import type { KnownPolicyKind } from '../model/policy/policy-kinds.ts';
import { PolicyLimitExceeded, PolicyThread } from './policy-thread.ts';
import type { Checked } from './thread-requests.ts';

const MAX_WAITING = 24;
/** A thread takes about 20 MiB and a third of a second to start, so it is kept while a text is being edited. */
const KEPT_MS = 60_000;

/** The violation of a text that took too long. */
export const LIMIT_EXCEEDED: readonly PolicyViolation[] = [
  {
    rule: '',
    place: 'the text',
    message: 'Checking it took too much time or memory. Simplify its conditions.',
  },
];

/** Returns the result for a text that took too long; throws any other error. */
export function checkedOrLimitExceeded(error: unknown): Checked {
  if (error instanceof PolicyLimitExceeded) return { violations: LIMIT_EXCEEDED };
  throw error;
}

/** Checks texts until the process stops. */
export function openPolicyChecks(process: ServiceProcess): PolicyChecks {
  const checks = new PolicyChecks(process.log);
  process.onStop('policy checks', () => checks.close());
  return checks;
}

/** Checks policy texts sent by operators, one at a time, on a thread that no text can block. */
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

  /** Returns the parsed policy, or its violations. SERVICE_UNAVAILABLE while too many texts are being checked. */
  async check(kind: KnownPolicyKind, text: string): Promise<Checked> {
    if (this.#waiting >= MAX_WAITING)
      throw refuse(
        RefusalCode.SERVICE_UNAVAILABLE,
        'Many policies are being checked. Try again in a moment.',
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
        { reason: error instanceof PolicyLimitExceeded ? error.message : 'failed' },
        'policy not checked',
      );
      return checkedOrLimitExceeded(error);
    } finally {
      this.#keep();
    }
  }

  /** Lends a thread for longer work, which the caller then releases. Meanwhile texts are checked on another. */
  borrowThread(): PolicyThread {
    clearTimeout(this.#idle);
    const isIdle = this.#waiting === 0 && this.#thread && !this.#thread.ended;
    const thread = (isIdle && this.#thread) || this.#start();
    if (thread === this.#thread) this.#thread = undefined;
    return thread;
  }

  /** Keeps a borrowed thread for the next text, unless it has ended or there is already another. */
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

  /** Ends the thread. The next text starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}
