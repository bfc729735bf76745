import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';

/** What a router knows of an operation: a parameter of its path is written `:name`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const VERSIONS = ['/v1', '/v2'];
const VERSION = /^(?:\/v\d+)?(?=\/)/;
/** An encoded slash is no part of a segment here, and no operation ends with a slash: the router is more lenient. */
const NO_OPERATION = /%2f|.\/$/i;

/**
 * Returns 404 for a path or a method that is not in the contract, before anything else of the request is read. Where the
 * path exists, the message and `Allow` name its methods. `folder` is the one path that ends with a slash. Implements
 * docs/contract.md, section 1.
 */
export function refuseUnknown(app: FastifyInstance, operations: readonly Route[], folder?: string): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (NO_OPERATION.test(path) && path !== folder) done(unknownPath(operations, decodeURI(path)));
    else if (request.is404) done(notFound(operations, decodeURI(path)));
    else done();
  });
}

function notFound(operations: readonly Route[], path: string): PublicError {
  const methods = methodsOf(operations, path);
  if (methods.length === 0) return unknownPath(operations, path);
  return new PublicError('not_found', {
    message: `Use ${methods.join(' or ')} with this path.`,
    headers: { allow: methods.join(', ') },
  });
}

/** Says how to correct a path that is nearly one of ours. */
function unknownPath(operations: readonly Route[], path: string): PublicError {
  const exists = (other: string) => other !== path && methodsOf(operations, other).length > 0;
  const version = VERSIONS.find((prefix) => exists(path.replace(VERSION, prefix)));
  const message =
    path.endsWith('/') && exists(path.slice(0, -1))
      ? 'Remove the slash at the end of the path.'
      : version && `This path starts with ${version}.`;
  return new PublicError('not_found', { message });
}

function methodsOf(operations: readonly Route[], path: string): string[] {
  const methods = operations.filter((operation) => fits(operation.path, path)).map(({ method }) => method);
  return [...new Set(methods)].sort();
}

function fits(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, at) => segment === given[at] || (segment.startsWith(':') && given[at] !== ''))
  );
}
