import { type AttemptError, errorOfStatus } from '../model/attempt.ts';
import { AnswerReader } from './answer.ts';
import type { ConnectionFacts, OpenedConnection } from './open-connection.ts';
import { ConnectionError } from './tcp.ts';

/** Where an attempt gets its connection from, and where it leaves it. */
export interface Connections {
  /** One that was kept, if there is one. */
  take(): Promise<OpenedConnection | undefined>;
  /** A new one; see openConnection. */
  open(signal: AbortSignal, reached: (facts: ConnectionFacts) => void): Promise<OpenedConnection>;
  keep(connection: OpenedConnection, keepMs: number): void;
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

/**
 * Sends `request` once and resolves, never rejects, with the result. Only the final status line decides: interim
 * responses are skipped and do not extend the limit, and nothing that follows the status line matters. Redirects are
 * not followed, nothing is decompressed, and at most 64 KiB of the answer are read. The connection is kept if the
 * answer allows it, else closed. Implements docs/contract.md, section 7.
 */
export function post(
  connections: Connections,
  request: Uint8Array,
  limits: PostLimits,
  signal: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const answer = new AnswerReader();
    let connection: OpenedConnection | undefined;
    let facts: ConnectionFacts | undefined;
    let isNew = false;
    let sentAt = 0;
    let statusMs: number | undefined;
    let timer = setTimeout(() => end('timeout'), limits.statusMs);
    const interrupt = () => end('interrupted');
    const breakOff = () => end('reset');

    async function start(): Promise<void> {
      const kept = await connections.take();
      isNew = kept === undefined;
      const opened =
        kept ??
        (await connections.open(ended.signal, (known) => {
          facts = known;
        }));
      if (ended.signal.aborted) return void opened.socket.destroy();
      connection = opened;
      facts = opened.facts;
      const { socket } = opened;
      socket.on('data', read).on('end', breakOff).on('error', breakOff).on('close', breakOff);
      sentAt = performance.now();
      socket.write(request);
    }

    function read(arrived: Buffer): void {
      answer.push(arrived);
      if (answer.statusCode !== undefined && statusMs === undefined) {
        statusMs = performance.now() - sentAt;
        clearTimeout(timer);
        timer = setTimeout(breakOff, limits.answerMs);
      }
      if (answer.isOver) end('reset');
    }

    /** `failure` is what it was if no status line has decided. */
    function end(failure: AttemptError, cause?: unknown): void {
      if (ended.signal.aborted) return;
      ended.abort(new Error('attempt ended'));
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      leave();
      const { statusCode } = answer;
      resolve({
        error: statusCode === undefined ? failure : errorOfStatus(statusCode),
        statusCode,
        dnsMs: isNew ? facts?.dnsMs : undefined,
        connectMs: isNew ? facts?.connectMs : undefined,
        tlsMs: isNew ? facts?.tlsMs : undefined,
        statusMs,
        resolvedIp: facts?.address ?? (cause instanceof ConnectionError ? cause.address : undefined),
        tlsVersion: facts?.tlsVersion,
        answerHead: answer.bodyHead,
      });
    }

    function leave(): void {
      if (!connection) return;
      const { socket } = connection;
      socket.off('data', read).off('end', breakOff).off('error', breakOff).off('close', breakOff);
      const keepMs = answer.keepAliveMs;
      if (keepMs > 0) connections.keep(connection, keepMs);
      else socket.destroy();
    }

    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    start().catch((cause: unknown) => {
      end(cause instanceof ConnectionError ? cause.error : 'reset', cause);
    });
  });
}
