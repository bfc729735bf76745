import type { CallOptions } from '@connectrpc/connect';
import { callOptions } from '@supplier/lib/rpc/rpc-client';
import type { Principal } from '@supplier/proto/common/v1/principal';
import type { FastifyRequest } from 'fastify';
import { principalOf } from '../plugins/principal.ts';
import { CALLS_MS } from '../service-calls.ts';

/** Encoded once for each principal, which lives as long as its credential is cached. */
const encoded = new WeakMap<Principal, CallOptions>();

/** Options of a call on behalf of the request's supplier, within what is left of the request's time. */
export function onBehalfOf(request: FastifyRequest): CallOptions {
  const principal = principalOf(request);
  let options = encoded.get(principal);
  if (!options) {
    options = callOptions(principal);
    encoded.set(principal, options);
  }
  return { ...options, timeoutMs: Math.ceil(CALLS_MS - request.lookupMs) };
}
