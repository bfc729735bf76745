import type { FastifyServerOptions, RawRequestDefaultExpression } from 'fastify';
import { MAX_BODY_BYTES } from './plugins/json-body.ts';
import { requestIdOf } from './plugins/request-id.ts';

/** Requests worked on at a time, per listener. */
export const MAX_IN_FLIGHT = 1000;
/** A whole request, head and body, must be here within this time. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEAD_TIMEOUT_MS = 10_000;
/** Node looks for requests that are too slow this often; its own default would add half a minute. */
const SLOWNESS_CHECK_MS = 1_000;
/** A connection on which nothing moves is closed. */
const CONNECTION_TIMEOUT_MS = 30_000;
/** Longer than the idle time of common load balancers, so that it is they who close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_HEAD_BYTES = 16_384;

/** The bounds that both public listeners keep. */
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
    // While stopping, requests on open connections are still answered; the built-in 503 has no request id.
    return503OnClosing: false,
    // The head is bounded, so a parameter is: an id of any length gets the same answer.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: SLOWNESS_CHECK_MS,
      requireHostHeader: false,
    },
  } satisfies FastifyServerOptions & { http: object };
}

/** A path that nothing is at, on any listener. */
const NOWHERE = '//';
const ABSOLUTE = /^https?:\/\/[^/?#]+(?=\/)/i;
const PATH_END = /[?#]/;

/**
 * The address of a request as it is routed. The router cannot decode some, and no check would run for them: they go to
 * where nothing is, in the same order of checks as every other request. Implements docs/contract.md, section 1.
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
