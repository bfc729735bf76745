import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';

/** What a router knows of an operation: a parameter of its path is written `:name`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** An encoded slash is no part of a segment here, and no operation ends with a slash: the router is more lenient. */
const NO_OPERATION = /%2f|.\/$/i;

/**
 * Answers 404 for a path or a method that is not in the contract, before anything of the request is looked at. Where
 * the path exists, `Allow` names its methods. `folder` is the one path that ends with a slash. Implements docs/contract.md, section 1.
 */
export function refuseUnknown(app: FastifyInstance, operations: readonly Route[], folder?: string): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (NO_OPERATION.test(path) && path !== folder) done(new PublicError('not_found'));
    else if (request.is404) done(notFound(operations, decodeURI(path)));
    else done();
  });
}

function notFound(operations: readonly Route[], path: string): PublicError {
  const methods = operations.filter((operation) => fits(operation.path, path)).map(({ method }) => method);
  if (methods.length === 0) return new PublicError('not_found');
  return new PublicError('not_found', {
    message: 'There is no such operation here.',
    headers: { allow: [...new Set(methods)].sort().join(', ') },
  });
}

function fits(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, at) => segment === given[at] || (segment.startsWith(':') && given[at] !== ''))
  );
}
