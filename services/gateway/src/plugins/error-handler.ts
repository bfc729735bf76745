import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from '@supplier/lib/runtime/log';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import { renderError } from '../errors/render-error.ts';
import { toPublicError } from '../errors/to-public-error.ts';
import { MAX_BODY_BYTES } from './json-body.ts';

/** Renders everything thrown as the contract's error; the cause of a 503 is only logged. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = senderIsGone(request) ? new PublicError('bad_request') : withLimit(toPublicError(thrown));
    if (error.code === 'service_unavailable' && error.cause !== undefined) {
      const fields = { err: error.cause, route: request.routeOptions.url, request_id: request.id };
      if (isOutage(error.cause)) log.warn(fields, 'dependency unavailable');
      else log.error(fields, 'request failed unexpectedly');
    }
    return renderError(reply, error);
  });
}

/**
 * Returns whether the sender disconnected before its body was complete. That is not a server fault, and no one reads
 * the response.
 */
function senderIsGone({ raw }: FastifyRequest): boolean {
  return raw.destroyed && raw.complete === false;
}

function withLimit(error: PublicError): PublicError {
  if (error.code !== 'payload_too_large' || error.details) return error;
  return new PublicError(error.code, { details: { max_bytes: MAX_BODY_BYTES }, cause: error.cause });
}

const OUTAGES = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Aborted,
  Code.Canceled,
  Code.Unimplemented,
]);

function isOutage(cause: unknown): boolean {
  return cause instanceof ConnectError && OUTAGES.has(cause.code);
}
