import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import { MalformedJson, parseStrictJson } from '../json/strict-json.ts';
import { headerValues } from './header-values.ts';

/** Maximum body size in bytes. */
export const MAX_BODY_BYTES = 65_536;

const PARAMETER = String.raw`[\w!#$%&'*+.^\x60|~-]+=(?:[\w!#$%&'*+.^\x60|~-]+|"(?:[^"\\]|\\.)*")`;
/** The media type with any parameters, including empty ones, as RFC 9110 allows. */
const JSON_TYPE = new RegExp(String.raw`^application/json[\t ]*(?:;[\t ]*(?:${PARAMETER}[\t ]*)?)*$`, 'i');

/**
 * Reads the body of a POST as strict JSON, after authentication and scope: media type, then size, then JSON. The
 * handler gets the parsed value regardless of the media type's parameters, so they cannot bypass validation. Implements
 * docs/contract.md, section 1.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(request.method === 'POST' ? mediaTypeError(request) : null);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.method !== 'POST') return done();
    try {
      request.body = parseBody(request.body);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('request body unreadable'));
    }
  });
}

function mediaTypeError({ raw }: FastifyRequest): PublicError | null {
  const [mediaType, second] = headerValues(raw, 'content-type');
  if (second !== undefined) {
    return new PublicError('bad_request', { message: 'Send exactly one Content-Type header.' });
  }
  if (mediaType === undefined || !JSON_TYPE.test(mediaType)) {
    return new PublicError('bad_request', {
      message: 'Send JSON with the header Content-Type: application/json.',
    });
  }
  if (raw.headers['content-encoding'] !== undefined) {
    return new PublicError('bad_request', {
      message: 'Remove the Content-Encoding header and send the body uncompressed.',
    });
  }
  return null;
}

function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new PublicError('bad_request', { message: 'The body is empty. Send a JSON object.' });
  }
  try {
    return parseStrictJson(body);
  } catch (error) {
    if (error instanceof MalformedJson) throw new PublicError('bad_request', { message: error.message });
    throw error;
  }
}
