import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '@supplier/lib/ids';
import type { Logger } from '@supplier/lib/log';
import { ObjectChanged, type ObjectStore, StoreUnavailable } from '../object-store.ts';
import { type RefusalName, Refused, refuse } from './answers.ts';
import { giveDownload } from './give-download.ts';
import { KEY, type Layout } from './layout.ts';
import type { SignedLinks } from './signed-links.ts';
import { takeUpload } from './take-upload.ts';

/** How long the rest of a refused body may still arrive: cut at once, many clients would never read the answer. */
const LINGER_MS = 5_000;

/** The refusals that nobody but us can do anything about. */
const OURS = new Set<RefusalName>(['internal_error', 'store_unavailable']);

interface Parts {
  readonly layout: Layout;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly transfers: number;
}

/** `proceed` asks for the body of a request that waits with it; or names why none is wanted. */
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  proceed: (() => void) | RefusalName,
) => Promise<void>;

/**
 * The handler of the upload listener: at most `transfers` at once, one line in the log for each, which holds neither
 * the URL (it is a secret) nor a name.
 */
export function handleTransfer(parts: Parts): Handle {
  let underWay = 0;

  return async (request, response, proceed) => {
    const started = performance.now();
    const requestId = newId();
    const { kind, key, query } = targetOf(request.url);
    response.setHeader('x-request-id', requestId);
    let asked = request.headers.expect === undefined;
    underWay += 1;
    let outcome: string = 'done';
    try {
      if (typeof proceed === 'string') throw new Refused(proceed);
      if (underWay > parts.transfers) throw new Refused('busy');
      const ask = () => {
        asked = true;
        proceed();
      };
      if (kind === 'uploads') await takeUpload({ ...parts, proceed: ask }, key, query, request, response);
      else if (kind === 'downloads') await giveDownload(parts, key, query, request, response);
      else throw new Refused('not_found');
    } catch (error) {
      const refusal = refusalFor(error, request);
      outcome = response.headersSent ? 'cut' : (refusal?.refusal ?? 'cut');
      if (refusal && OURS.has(refusal.refusal))
        parts.log.error({ err: error, request_id: requestId }, 'a transfer failed');
      // A body that was never asked for could not be told from the next request.
      if (!asked) response.shouldKeepAlive = false;
      endWith(request, response, refusal);
    } finally {
      underWay -= 1;
      parts.log.info(
        {
          request_id: requestId,
          route: kind,
          method: request.method,
          status: response.headersSent ? response.statusCode : undefined,
          outcome,
          duration_ms: Math.round(performance.now() - started),
        },
        'transfer',
      );
    }
  };
}

/** `unknown` for every path but the two. */
function targetOf(url = ''): { kind: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = url.split('?', 2);
  const [, kind = '', key = ''] = /^\/(uploads|downloads)\/([^/]+)$/.exec(path) ?? [];
  return { kind: KEY.test(key) ? kind : 'unknown', key, query: new URLSearchParams(query) };
}

/** Undefined when there is nobody left to answer: what then failed is the connection, with whatever error. */
function refusalFor(error: unknown, request: IncomingMessage): Refused | undefined {
  if (error instanceof Refused) return error;
  if (error instanceof StoreUnavailable) return new Refused('store_unavailable');
  if (request.socket.destroyed && !(error instanceof ObjectChanged)) return undefined;
  return new Refused('internal_error');
}

function endWith(request: IncomingMessage, response: ServerResponse, refused: Refused | undefined): void {
  if (!refused || response.headersSent) {
    response.destroy();
    return;
  }
  refuse(response, refused);
  if (request.complete || !response.shouldKeepAlive) return;
  request.resume();
  const linger = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(linger));
}
