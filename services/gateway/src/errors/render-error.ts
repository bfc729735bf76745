import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ERROR_TABLE } from './error-table.ts';
import type { PublicError } from './public-error.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const RETRY_AFTER_SECONDS = 2;

/**
 * Renders an error response: `code`, `message` and, where the contract has them, `details`. A 401 names the scheme and
 * a 503 says when to retry. All error responses are rendered in this file. Implements docs/contract.md, section 8.
 */
export function renderError(reply: FastifyReply, error: PublicError): FastifyReply {
  reply.request.refusedAs = error.code;
  // The framework closes the connection for every oversized body; a hook does so only if the body is still being sent.
  reply.removeHeader('connection');
  return reply
    .code(ERROR_TABLE[error.code].status)
    .headers(headersOf(error, reply.request.id))
    .send(bodyOf(error));
}

/**
 * Renders the same response as bytes, including the headers of every response of its listener, for connections on which
 * no request could be read. Closes the connection.
 */
export function renderRawError(
  error: PublicError,
  requestId: string,
  onEvery: Readonly<Record<string, string>> = {},
): string {
  const { status } = ERROR_TABLE[error.code];
  const body = bodyOf(error);
  const headers = {
    ...onEvery,
    ...headersOf(error, requestId),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function bodyOf({ code, message, details }: PublicError): string {
  return JSON.stringify({ error: { code, message, ...(details === undefined ? {} : { details }) } });
}

function headersOf(error: PublicError, requestId: string): Record<string, string> {
  return {
    'content-type': JSON_TYPE,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...(error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(error.code === 'service_unavailable' ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    ...error.headers,
  };
}
