import type { FastifyServerOptions, RawRequestDefaultExpression } from 'fastify';
import { MAX_BODY_BYTES } from './plugins/json-body.ts';
import { requestIdOf } from './plugins/request-id.ts';

/** Maximum requests in flight per listener. */
export const MAX_IN_FLIGHT = 1000;
/** Time limit for receiving a whole request, head and body. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEAD_TIMEOUT_MS = 10_000;
/** Interval at which Node checks for slow requests; its own default would add half a minute. */
const SLOWNESS_CHECK_MS = 1_000;
/** A connection without traffic for this time is closed. */
const CONNECTION_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_HEAD_BYTES = 16_384;

/** Returns the server options that both public listeners share. */
export function serverOptions(trustedProxies: readonly string[]) {
  return {
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    rewriteUrl: routableUrl,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // While stopping, requests on open connections are still served; the built-in 503 has no request id.
    return503OnClosing: false,
    // The size of the head already limits parameters: an id of any length gets the same response.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: SLOWNESS_CHECK_MS,
      requireHostHeader: false,
    },
  } satisfies FastifyServerOptions & { http: object };
}

/** A path without a route on any listener. */
const NOWHERE = '//';
const ABSOLUTE = /^https?:\/\/[^/?#]+(?=\/)/i;
const PATH_END = /[?#]/;

/**
 * Returns the path by which a request is routed. The router cannot decode some paths and would skip every check for
 * them; those are sent to a path without a route, so that the usual order of checks applies. Implements
 * docs/contract.md, section 1.
 */
function routableUrl({ url = NOWHERE }: RawRequestDefaultExpression): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = url.startsWith('/') ? url : url.replace(ABSOLUTE, '');
  if (!path.startsWith('/')) return NOWHERE;
  try {
    decodeURI(path.split(PATH_END, 1)[0] ?? '');
    return path;
  } catch {
    return NOWHERE;
  }
}
