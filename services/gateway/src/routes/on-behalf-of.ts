import type { CallOptions } from '@connectrpc/connect';
import { callOptions } from '@supplier/lib/rpc-client';
import type { FastifyRequest } from 'fastify';
import { CALLS_MS } from '../call-budget.ts';
import { principalOf } from '../plugins/authentication.ts';

/** Options of a call on behalf of the request's supplier, within what is left of the request's time. */
export function onBehalfOf(request: FastifyRequest): CallOptions {
  return { ...callOptions(principalOf(request)), timeoutMs: Math.ceil(CALLS_MS - request.lookupMs) };
}
