import type { Dispatcher } from 'undici';
import { type AttemptError, errorOfStatus } from '../domain/attempt.ts';
import type { Slot } from './slots.ts';
import { ConnectionError } from './tcp.ts';

/** What is sent. */
export interface PostRequest {
  /** Path and query, as they go into the request line. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** The result; times are milliseconds. */
export interface PostResult {
  /** Undefined exactly when a 2xx status line arrived in time. */
  readonly error: AttemptError | undefined;
  /** Undefined when no final status line arrived. */
  readonly statusCode: number | undefined;
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** From the request being written to the status line. */
  readonly statusMs: number | undefined;
  readonly resolvedIp: string | undefined;
  readonly tlsVersion: string | undefined;
  /** At most the first 1,024 bytes of the answer's body, as they were received. */
  readonly answerHead: Uint8Array;
}

/** Bounds of one attempt. */
export interface PostLimits {
  /** For name, connection, TLS and the status line together, in milliseconds. */
  readonly statusMs: number;
  /** For the rest of the answer after its status line, in milliseconds. */
  readonly answerMs: number;
}

const ANSWER_BYTES = 64 * 1_024;
const ANSWER_HEAD_BYTES = 1_024;
/** Interim answers (1xx) that are accepted before the final one. */
const INTERIM_ANSWERS = 8;

/**
 * Posts once over `slot` and resolves, never rejects, with the result. Only the status line decides. Redirects are not
 * followed, nothing is decompressed, and at most 64 KiB of the answer are read. `reusable` says whether the slot may
 * serve another attempt; if not, it has been destroyed. Implements docs/contract.md, section 7.
 */
export function post(
  slot: Slot,
  request: PostRequest,
  limits: PostLimits,
  signal: AbortSignal,
): Promise<{ result: PostResult; reusable: boolean }> {
  return new Promise((resolve) => {
    slot.begin();
    const head: Buffer[] = [];
    let headBytes = 0;
    let answerBytes = 0;
    let interimAnswers = 0;
    let sentAt: number | undefined;
    let statusMs: number | undefined;
    let statusCode: number | undefined;
    let over = false;
    let timer = setTimeout(() => end('timeout', false), limits.statusMs);
    const interrupt = () => end('interrupted', false);

    function end(failure: AttemptError, reusable: boolean, cause?: unknown): void {
      if (over) return;
      over = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      const facts = slot.facts();
      const fresh = slot.opened();
      if (!reusable) slot.destroy();
      resolve({
        reusable,
        result: {
          error: statusCode === undefined ? failure : errorOfStatus(statusCode),
          statusCode,
          dnsMs: fresh ? facts?.dnsMs : undefined,
          connectMs: fresh ? facts?.connectMs : undefined,
          tlsMs: fresh ? facts?.tlsMs : undefined,
          statusMs,
          resolvedIp: facts?.address ?? (cause instanceof ConnectionError ? cause.address : undefined),
          tlsVersion: facts?.tlsVersion,
          answerHead: Buffer.concat(head),
        },
      });
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {
        sentAt = performance.now();
      },
      onResponseStart: (_controller, code) => {
        if (code < 200) {
          interimAnswers += 1;
          if (interimAnswers > INTERIM_ANSWERS) end('reset', false);
          return;
        }
        statusCode = code;
        statusMs = sentAt === undefined ? undefined : performance.now() - sentAt;
        clearTimeout(timer);
        timer = setTimeout(() => end('timeout', false), limits.answerMs);
      },
      onResponseData: (_controller, chunk) => {
        if (headBytes < ANSWER_HEAD_BYTES) {
          const kept = Buffer.from(chunk.subarray(0, ANSWER_HEAD_BYTES - headBytes));
          head.push(kept);
          headBytes += kept.length;
        }
        answerBytes += chunk.length;
        if (answerBytes > ANSWER_BYTES) end('reset', false);
      },
      onResponseEnd: () => end('reset', true),
      onResponseError: (_controller, cause) => {
        end(cause instanceof ConnectionError ? cause.error : 'reset', false, cause);
      },
    };

    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    slot.client.dispatch({ method: 'POST', ...request }, handler);
  });
}
