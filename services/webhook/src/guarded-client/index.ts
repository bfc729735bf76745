import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EndpointId } from '@supplier/lib/text/ids';
import type { AddressPolicy } from '../model/address-policy.ts';
import { type AttemptError, errorOfStatus } from '../model/attempt.ts';
import { AnswerReader } from './answer.ts';
import {
  ConnectionError,
  type ConnectionFacts,
  type OpenedConnection,
  openConnection,
  type ResolveHost,
  resolveByDns,
  type Target,
  type Trust,
  targetOf,
  trust,
} from './connect.ts';

export {
  type CertificateFacts,
  inspectCertificate,
  type ResolveHost,
  resolveByDns,
  type Trust,
  targetOf,
  trust,
} from './connect.ts';

/** Posts to URLs that suppliers chose, and never to an address that the policy forbids. */
export interface GuardedClient {
  /** Posts once; resolves to the result and never rejects. `signal` ends the attempt as interrupted. */
  post(
    to: Destination,
    headers: Record<string, string>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostResult>;
  /** Closes connections that have been idle for too long. */
  prune(): void;
  /** Closes all idle connections. */
  close(): void;
}

export interface Destination {
  readonly endpointId: EndpointId;
  readonly url: string;
}

/** The dependencies of the client, and its limits in milliseconds, by default the contract's. */
export interface GuardedClientOptions {
  readonly policy: AddressPolicy;
  /** PEM of certificate authorities trusted besides the built-in ones. */
  readonly extraCa?: string | undefined;
  /** The result of `trust`, to share among many clients. */
  readonly trusted?: Trust;
  readonly connectionsPerEndpoint: number;
  readonly resolve?: ResolveHost;
  readonly statusMs?: number;
  readonly answerMs?: number;
}

interface ParsedUrl {
  readonly url: URL;
  readonly target: Target;
}

/** Maximum number of cached parsed URLs. */
const MAX_URLS = 1_000;
/** Time limit of an attempt up to its status line, in milliseconds. */
export const STATUS_LINE_MS = 10_000;
const ANSWER_MS = 2_000;

/** Makes a guarded client. Implements docs/contract.md, section 7. */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const { policy, resolve = resolveByDns } = options;
  const limits = { statusMs: options.statusMs ?? STATUS_LINE_MS, answerMs: options.answerMs ?? ANSWER_MS };
  const parts = { resolve, policy, secureContext: options.trusted ?? trust(options.extraCa) };
  const kept = keptConnections(options.connectionsPerEndpoint);
  const urls = new Map<string, ParsedUrl>();

  function parsed(text: string): ParsedUrl {
    const known = urls.get(text);
    if (known) return known;
    const url = new URL(text);
    const made = { url, target: targetOf(url) };
    if (urls.size >= MAX_URLS) urls.clear();
    urls.set(text, made);
    return made;
  }

  return {
    post({ endpointId, url: text }, headers, body, signal) {
      const { url, target } = parsed(text);
      // The URL is part of the key, so that old connections are not reused after a change of URL.
      const key = `${endpointId} ${url.origin}`;
      const connections = {
        take: () => kept.take(key),
        open: (ended: AbortSignal, reached: (facts: ConnectionFacts) => void) =>
          openConnection(target, parts, ended, reached),
        keep: (connection: OpenedConnection, keepMs: number) => kept.keep(key, connection, keepMs),
      };
      return post(connections, requestOf(url, headers, body), limits, signal);
    },
    prune: kept.prune,
    close: kept.close,
  };
}

/** Returns the bytes of the request. A parsed URL contains neither white space nor line breaks. */
function requestOf(url: URL, headers: Record<string, string>, body: Uint8Array): Uint8Array {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    'connection: keep-alive',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ];
  if (lines.some((line) => /[\r\n]/.test(line)))
    throw new Error('invariant violated: a line break in a header');
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

export interface Connections {
  take(): Promise<OpenedConnection | undefined>;
  /** Opens a new one; see openConnection. */
  open(signal: AbortSignal, reached: (facts: ConnectionFacts) => void): Promise<OpenedConnection>;
  keep(connection: OpenedConnection, keepMs: number): void;
}

/** The result of a post; times are in milliseconds. */
export interface PostResult {
  /** Undefined exactly when a 2xx status line arrived in time. */
  readonly error: AttemptError | undefined;
  /** Undefined when no final status line arrived. */
  readonly statusCode: number | undefined;
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  /** From the writing of the request to the status line. */
  readonly statusMs: number | undefined;
  readonly resolvedIp: string | undefined;
  readonly tlsVersion: string | undefined;
  /** Whether the receiver asked for a client certificate, which is never presented. */
  readonly asksForCertificate: boolean;
  /** At most the first 1,024 bytes of the response body, as they were received. */
  readonly answerHead: Uint8Array;
}

export interface PostLimits {
  /** For name resolution, connection, TLS and the status line together, in milliseconds. */
  readonly statusMs: number;
  /** For the rest of the response after its status line, in milliseconds. */
  readonly answerMs: number;
}

/**
 * Sends `request` once and resolves, never rejects, with the result. Only the final status line decides: interim
 * responses are skipped and do not extend the limit, and nothing after the status line matters. Redirects are not
 * followed, nothing is decompressed, and at most 64 KiB of the response are read. The connection is kept if the
 * response allows it, otherwise closed. Implements docs/contract.md, section 7.
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

    /** `failure` is the result if no status line has decided. */
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
        asksForCertificate: facts?.asksForCertificate ?? false,
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

/** Idle connections for an endpoint's next attempt. No two endpoints share one, not even on the same host. */
export interface KeptConnections {
  /**
   * Takes the most recently used connection of `key` on which nothing has arrived since. The caller owns it until it is
   * kept again.
   */
  take(key: string): Promise<OpenedConnection | undefined>;
  keep(key: string, connection: OpenedConnection, keepMs: number): void;
  /** Closes connections whose time is over. */
  prune(): void;
  /** Closes all kept connections, and keeps no more. */
  close(): void;
}

interface Kept {
  readonly connection: OpenedConnection;
  /** By the clock of `performance`, in milliseconds. */
  readonly until: number;
  isUsable(): boolean;
  /** Stops watching the connection. */
  release(): void;
}

/** Keeps idle connections for reuse. `perKey` limits the kept connections of one key; callers limit those in use. */
export function keptConnections(perKey: number): KeptConnections {
  const kept = new Map<string, Kept[]>();
  let isClosed = false;

  return {
    async take(key) {
      for (let one = kept.get(key)?.pop(); one; one = kept.get(key)?.pop()) {
        // A late piece of an earlier response must not be read as the next one, so wait until everything that has
        // arrived was read. The second turn begins after everything that the kernel had at the start of the first was
        // read.
        await nextTurn();
        await nextTurn();
        one.release();
        if (one.isUsable()) return one.connection;
        one.connection.socket.destroy();
      }
      return undefined;
    },
    keep(key, connection, keepMs) {
      const list = kept.get(key) ?? [];
      if (isClosed || list.length >= perKey) return void connection.socket.destroy();
      kept.set(key, list);
      list.push(watched(connection, performance.now() + keepMs));
    },
    prune() {
      for (const [key, list] of kept) {
        const usable = list.filter((one) => one.isUsable());
        for (const one of list) if (!one.isUsable()) one.connection.socket.destroy();
        if (usable.length > 0) kept.set(key, usable);
        else kept.delete(key);
      }
    },
    close() {
      isClosed = true;
      for (const { connection } of [...kept.values()].flat()) connection.socket.destroy();
      kept.clear();
    },
  };
}

/** Watches an idle connection: nothing may arrive without a request, not even the end of the connection. */
function watched(connection: OpenedConnection, until: number): Kept {
  const { socket } = connection;
  let isBroken = socket.destroyed || socket.readableEnded;
  const breakOff = () => {
    isBroken = true;
    socket.destroy();
  };
  for (const event of ['data', 'end', 'error', 'close'] as const) socket.on(event, breakOff);
  return {
    connection,
    until,
    // The rest of a request that is not sent yet would be read as the next one. A fast receiver answers before the end
    // of its request is recorded as sent, so this is checked only when the connection is taken.
    isUsable: () => !isBroken && socket.writableLength === 0 && performance.now() < until,
    release() {
      for (const event of ['data', 'end', 'error', 'close'] as const) socket.off(event, breakOff);
    },
  };
}
