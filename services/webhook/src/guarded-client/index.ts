import type { EndpointId } from '@supplier/lib/text/ids';
import type { AddressPolicy } from '../model/address-policy.ts';
import { type ResolveHost, resolveByDns } from './dns.ts';
import { keptConnections } from './kept-connections.ts';
import { type ConnectionFacts, type OpenedConnection, openConnection } from './open-connection.ts';
import { type PostResult, post } from './post.ts';
import { type Target, targetOf } from './tcp.ts';
import { type Trust, trust } from './tls.ts';

export { type ResolveHost, resolveByDns } from './dns.ts';
export type { PostResult } from './post.ts';
export { targetOf } from './tcp.ts';
export { type CertificateFacts, inspectCertificate, type Trust, trust } from './tls.ts';

/** Posts to URLs that suppliers chose, and never to an address that the policy forbids. */
export interface GuardedClient {
  /** Posts once; resolves to the result and never rejects. `signal` ends the attempt as interrupted. */
  post(
    to: Destination,
    headers: Record<string, string>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostResult>;
  /** Ends connections that have been idle for long. */
  prune(): void;
  /** Ends all idle connections. */
  close(): void;
}

export interface Destination {
  readonly endpointId: EndpointId;
  readonly url: string;
}

/** What the client needs, and its bounds in milliseconds; the defaults are those of the contract. */
export interface GuardedClientOptions {
  readonly policy: AddressPolicy;
  /** PEM of certificate authorities trusted besides the built-in ones. */
  readonly extraCa?: string | undefined;
  /** The result of `trust`, to share among many clients. */
  readonly trusted?: Trust;
  /** Connections kept for one endpoint. */
  readonly connectionsPerEndpoint: number;
  readonly resolve?: ResolveHost;
  readonly statusMs?: number;
  readonly answerMs?: number;
}

interface ParsedUrl {
  readonly url: URL;
  readonly target: Target;
}

/** Maximum of cached parsed URLs. */
const MAX_URLS = 1_000;
/** The time of an attempt up to its status line, in milliseconds. */
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
      // The URL is part of the key: after a change of URL, old connections are not reused.
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

/** The bytes of the request. A URL contains neither white space nor line breaks once it is parsed. */
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
