import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';

/** A route: `:name` matches one path segment, a final `*` the rest of the path. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

const VERSIONS = ['/v1', '/v2'];
const VERSION = /^(?:\/v\d+)?(?=\/)/;
/** An encoded slash is not part of a segment, and no operation ends with a slash: the router is more lenient. */
const ENCODED_SLASH = /%2f/i;
const LAST_SLASH = /.\/$/;

/**
 * Returns 404 for a path or method outside the contract, before anything else of the request is read. If the path
 * exists, the message and `Allow` list its methods. Without `operations`, the paths come from the routes added later,
 * with or without a trailing slash. Implements docs/contract.md, section 1.
 */
export function refuseUnknown(app: FastifyInstance, operations?: readonly Route[]): void {
  const routes = operations ?? routesOf(app);
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (ENCODED_SLASH.test(path) || (operations && LAST_SLASH.test(path))) {
      done(unknownPath(routes, decodeURI(path)));
    } else if (request.is404) done(notFound(routes, decodeURI(path)));
    else done();
  });
}

function routesOf(app: FastifyInstance): readonly Route[] {
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, path: url });
  });
  return routes;
}

function notFound(operations: readonly Route[], path: string): PublicError {
  const methods = methodsOf(operations, path);
  if (methods.length === 0) return unknownPath(operations, path);
  return new PublicError('not_found', {
    message: `Use ${listed(methods)} with this path.`,
    headers: { allow: methods.join(', ') },
  });
}

/** Returns an error that says how to correct an almost correct path. */
function unknownPath(operations: readonly Route[], path: string): PublicError {
  const exists = (other: string) => other !== path && methodsOf(operations, other).length > 0;
  const version = VERSIONS.find((prefix) => exists(path.replace(VERSION, prefix)));
  const message =
    path.endsWith('/') && exists(path.slice(0, -1))
      ? 'Remove the slash at the end of the path.'
      : version && `This path starts with ${version}.`;
  return new PublicError('not_found', { message });
}

const listed = (methods: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(methods);

function methodsOf(operations: readonly Route[], path: string): string[] {
  const methods = operations.filter((operation) => fits(operation.path, path)).map(({ method }) => method);
  return [...new Set(methods)].sort();
}

function fits(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  const expected = pattern.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, at) => segment === given[at] || (segment.startsWith(':') && given[at] !== ''))
  );
}
