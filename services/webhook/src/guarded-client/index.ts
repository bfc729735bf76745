import type { EndpointId } from '@supplier/lib/ids';
import type { AddressPolicy } from '../domain/address-policy.ts';
import { openConnection } from './open-connection.ts';
import { type PostResult, post } from './post.ts';
import { connectionSlots } from './slots.ts';
import { type ResolveHost, resolveByDns } from './tcp.ts';
import { type Trust, trust } from './tls.ts';

export type { PostResult } from './post.ts';
export { targetOf } from './slots.ts';
export { type ResolveHost, resolveByDns } from './tcp.ts';
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

/** Maximum of cached parsed URLs. */
const MAX_URLS = 1_000;
const STATUS_MS = 10_000;
const ANSWER_MS = 2_000;

/** Makes a guarded client. Implements docs/contract.md, section 7. */
export function guardedClient(options: GuardedClientOptions): GuardedClient {
  const { policy, resolve = resolveByDns } = options;
  const limits = { statusMs: options.statusMs ?? STATUS_MS, answerMs: options.answerMs ?? ANSWER_MS };
  const parts = { resolve, policy, secureContext: options.trusted ?? trust(options.extraCa) };
  const slots = connectionSlots(
    (target, signal, reached) => openConnection(target, parts, signal, reached),
    options.connectionsPerEndpoint,
  );
  const urls = new Map<string, { readonly url: URL; readonly path: string }>();

  function parsed(text: string): { readonly url: URL; readonly path: string } {
    const known = urls.get(text);
    if (known) return known;
    const url = new URL(text);
    const made = { url, path: url.pathname + url.search };
    if (urls.size >= MAX_URLS) urls.clear();
    urls.set(text, made);
    return made;
  }

  return {
    async post({ endpointId, url }, headers, body, signal) {
      const at = parsed(url);
      const slot = slots.take(endpointId, at.url);
      const { result, reusable } = await post(slot, { path: at.path, headers, body }, limits, signal);
      if (reusable) slots.release(endpointId, at.url, slot);
      return result;
    },
    prune: slots.prune,
    close: slots.close,
  };
}
