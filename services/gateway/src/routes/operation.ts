import type { CallOptions } from '@connectrpc/connect';
import { callOptions } from '@supplier/lib/rpc/rpc-client';
import { parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import type { Principal } from '@supplier/proto/common/v1/principal';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { PublicError } from '../errors/public-error.ts';
import type { DescribedRoute } from '../openapi/operation-reference.ts';
import { principalOf } from '../plugins/principal.ts';
import { CALLS_MS } from '../service-calls.ts';

/** An operation of the public contract. */
export interface Operation extends DescribedRoute {
  /**
   * Prepares the handler once, at start. The handler can rely on the principal and on parsed JSON, and throws to refuse
   * a request.
   */
  readonly prepare: (context: Context) => Handler;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Encoded once per principal, which lives as long as its credential is cached. */
const encoded = new WeakMap<Principal, CallOptions>();

/** Returns options for a call on behalf of the request's supplier, limited to the request's remaining time. */
export function onBehalfOf(request: FastifyRequest): CallOptions {
  const principal = principalOf(request);
  let options = encoded.get(principal);
  if (!options) {
    options = callOptions(principal);
    encoded.set(principal, options);
  }
  return { ...options, timeoutMs: Math.ceil(CALLS_MS - request.lookupMs) };
}

/** Sends the status object. Implements docs/contract.md, section 3. */
export function sendStatus(
  reply: FastifyReply,
  code: 200 | 202,
  submission: SubmissionStatus,
  arrivalScreenUrl?: string,
): FastifyReply {
  return sendJson(reply, code, JSON.stringify(renderStatus(submission, arrivalScreenUrl)));
}

/** Sends a success response of the public contract from JSON text. It must not be cached. */
export function sendJson(reply: FastifyReply, code: 200 | 202, json: string): FastifyReply {
  return reply
    .code(code)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(json);
}

/**
 * Returns the submission id in a request's path, in lower case. Throws validation_error if it is not a UUID, even if
 * other routes exist under that path. Implements docs/contract.md, section 3.
 */
export function submissionIdIn(params: unknown): SubmissionId {
  const holder = typeof params === 'object' && params !== null ? params : {};
  const text =
    'submission_id' in holder && typeof holder.submission_id === 'string' ? holder.submission_id : '';
  const submissionId = parseId<SubmissionId>(text);
  if (submissionId) return submissionId;
  throw new PublicError('validation_error', {
    details: [{ path: 'submission_id', message: 'must be a UUID' }],
  });
}
