import { isIP } from 'node:net';
import { type EndpointId, type EventId, newId } from '@supplier/lib/text/ids';
import type { StatusObject } from '@supplier/lib/text/status-object';
import { type Clock, formatTimestamp } from '@supplier/lib/text/time';
import {
  guardedClient,
  inspectCertificate,
  type PostResult,
  type ResolveHost,
  resolveByDns,
  STATUS_LINE_MS,
  type Trust,
  targetOf,
  trust,
} from '../guarded-client/index.ts';
import type { AddressPolicy } from '../model/address-policy.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { envelopeBytes, exampleStatusIn } from '../model/envelope.ts';
import { signedHeaders } from '../model/signing.ts';
import { certificateFault, findingsOf, refusedAddress, type Sight } from './findings.ts';

export interface PreflightReport extends Omit<Sight, 'ping'> {
  /** Whether events would arrive. */
  readonly ready: boolean;
  /** The URL to which events would be posted, if allowed. */
  readonly url: string;
  /** Undefined when the URL itself is refused. */
  readonly ping: Sight['ping'] | undefined;
  readonly findings: readonly string[];
}

/** The content of a ping, which is signed with `secret` and shows a submission of `environment`. */
export interface PingContent {
  readonly secret: string;
  readonly environment: StatusObject['environment'];
}

/** Tests a URL with a ping; resolves within twelve seconds, or soon after `signal` is aborted. */
export type Preflight = (url: string, content: PingContent, signal: AbortSignal) => Promise<PreflightReport>;

export interface PreflightOptions {
  readonly policy: AddressPolicy;
  /** PEM of certificate authorities trusted besides the built-in ones. */
  readonly extraCa: string | undefined;
  readonly clock: Clock;
  readonly resolve?: ResolveHost;
  readonly statusMs?: number;
}

/** Receivers acknowledge unknown types, so a ping is not mistaken for an event. */
const PING_TYPE = 'endpoint.preflight';
/** In milliseconds. The status line has the same limit as in a delivery; the total is within the limit of the call. */
const ANSWER_MS = 500;
const CERTIFICATE_MS = 1_500;
const MAXIMUM_ADDRESSES = 32;

/**
 * Returns a function that runs preflights, which are sent like events but through a separate guarded client: same
 * address policy, same trust, same headers, but no connection shared with an endpoint. Records nothing. Implements
 * docs/contract.md, section 7.
 */
export function preflights(options: PreflightOptions): Preflight {
  const { policy, clock } = options;
  let trusted: Trust | undefined;

  return async (text, content, signal) => {
    const check = checkEndpointUrl(text, policy);
    if (!check.ok) return refusedUrl(text, check.message);
    const { url } = check;
    trusted ??= trust(options.extraCa);
    const { ping, addresses } = await pingOnce(url, content, trusted, signal);
    const certificate = await certificateOf(url, ping, trusted, signal);
    const sight: Sight = { addresses: addresses.map(judged), certificate, ping };
    const ready = ping.error === undefined && (certificate?.fault ?? '') === '';
    return { ...sight, ready, url, findings: findingsOf(sight) };
  };

  function judged(address: string) {
    return { address, admitted: policy.admits(address) };
  }

  function refusedUrl(url: string, message: string): PreflightReport {
    const host = URL.canParse(url) ? targetOf(new URL(url)).host : '';
    const addresses = isIP(host) === 0 ? [] : [judged(host)];
    const refused = addresses.filter(({ admitted }) => !admitted);
    const findings = [`The URL ${message}.`, ...refused.map(({ address }) => refusedAddress(address))];
    return { ready: false, url, addresses, certificate: undefined, ping: undefined, findings };
  }

  /** Posts once, and records the addresses to which this post resolved the host name. */
  async function pingOnce(url: string, content: PingContent, trusted: Trust, signal: AbortSignal) {
    const { host } = targetOf(new URL(url));
    const addresses = new Set(isIP(host) === 0 ? [] : [host]);
    const { resolve = resolveByDns, statusMs = STATUS_LINE_MS } = options;
    const client = guardedClient({
      policy,
      trusted,
      connectionsPerEndpoint: 1,
      statusMs,
      answerMs: ANSWER_MS,
      async resolve(name, aborted) {
        const found = await resolve(name, aborted);
        for (const address of found) addresses.add(address);
        return found;
      },
    });
    const eventId = newId<EventId>();
    const startedAt = clock.now();
    const body = envelopeBytes(
      eventId,
      formatTimestamp(startedAt),
      exampleStatusIn(content.environment),
      PING_TYPE,
    );
    const headers = signedHeaders(eventId, body, content.secret, startedAt);
    try {
      const result = await client.post({ endpointId: newId<EndpointId>(), url }, headers, body, signal);
      const ping = { ...result, startedAt, endedAt: clock.now() };
      return { ping, addresses: [...addresses].slice(0, MAXIMUM_ADDRESSES) };
    } finally {
      client.close();
    }
  }

  /** Reads the certificate at the address of the ping, if the ping got as far as TLS. */
  async function certificateOf(url: string, ping: PostResult, trusted: Trust, signal: AbortSignal) {
    const { resolvedIp, error } = ping;
    if (resolvedIp === undefined || error === 'connect' || error === 'address_refused') return undefined;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(CERTIFICATE_MS)]);
    const parts = { policy, secureContext: trusted };
    try {
      const facts = await inspectCertificate(targetOf(new URL(url)), resolvedIp, parts, inTime);
      return { ...facts, fault: certificateFault(facts, clock.now()) };
    } catch {
      return undefined;
    }
  }
}
