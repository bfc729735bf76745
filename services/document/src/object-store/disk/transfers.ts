import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { KeyRing } from '@supplier/lib/crypto';
import { newId } from '@supplier/lib/ids';
import type { Logger } from '@supplier/lib/log';
import { contentDisposition } from '../content-disposition.ts';
import { ObjectChanged, type ObjectStore, StoreUnavailable } from '../object-store.ts';
import { KEY, type Layout } from './directory.ts';
import { COMMON_HEADERS, type RefusalName, Refused, refuse } from './refusals.ts';
import type { SignedLinks } from './signed-links.ts';
import { writeObject } from './write-object.ts';

/** How long the rest of a refused body may still arrive: cut at once, many clients would never read the answer. */
const LINGER_MS = 5_000;

/** The refusals that are faults of the service. */
const SERVER_FAULTS = new Set<RefusalName>(['internal_error', 'store_unavailable']);

interface Parts {
  readonly layout: Layout;
  readonly keyRing: KeyRing;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly maxTransfers: number;
}

/** `proceed` sends `100 Continue` to a client that waits for it; or names why the body is not wanted. */
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  proceed: (() => void) | RefusalName,
) => Promise<void>;

/** One request, and what its URL says. */
interface Transfer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: string;
  readonly query: URLSearchParams;
}

/**
 * The handler of the upload listener: at most `maxTransfers` at once, one log line for each, which contains neither the
 * URL (it is a secret) nor a filename.
 */
export function handleTransfers(parts: Parts): Handle {
  let active = 0;

  return async (request, response, proceed) => {
    const started = performance.now();
    const requestId = newId();
    const { kind, key, query } = targetOf(request.url);
    const transfer = { request, response, key, query };
    response.setHeader('x-request-id', requestId);
    let bodyExpected = request.headers.expect === undefined;
    active += 1;
    let outcome: string = 'done';
    try {
      if (typeof proceed === 'string') throw new Refused(proceed);
      if (active > parts.maxTransfers) throw new Refused('busy');
      const acceptBody = () => {
        bodyExpected = true;
        proceed();
      };
      if (kind === 'uploads') await receiveUpload(parts, transfer, acceptBody);
      else if (kind === 'downloads') await sendDownload(parts, transfer);
      else throw new Refused('not_found');
    } catch (error) {
      const refusal = refusalFor(error, request);
      outcome = response.headersSent ? 'cut' : (refusal?.refusal ?? 'cut');
      if (refusal && SERVER_FAULTS.has(refusal.refusal))
        parts.log.error({ err: error, request_id: requestId }, 'transfer failed');
      // A body that arrives although no 100 Continue was sent would be taken for the next request.
      if (!bodyExpected) response.shouldKeepAlive = false;
      endWith(request, response, refusal);
    } finally {
      active -= 1;
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

/** `unknown` for every other path. */
function targetOf(url = ''): { kind: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = url.split('?', 2);
  const [, kind = '', key = ''] = /^\/(uploads|downloads)\/([^/]+)$/.exec(path) ?? [];
  return { kind: KEY.test(key) ? kind : 'unknown', key, query: new URLSearchParams(query) };
}

/**
 * Stores one object as its URL admits it. Everything is checked before the body is accepted; a body that is cut leaves
 * no file behind. Throws Refused. A length or type other than signed is 403, as in S3, whose signature covers both.
 */
async function receiveUpload(
  { layout, keyRing, links }: Parts,
  { request, response, key, query }: Transfer,
  acceptBody: () => void,
): Promise<void> {
  if (request.method !== 'PUT') throw new Refused('method_not_allowed', 'PUT');
  const upload = links.readUpload(key, query);
  if (typeof upload === 'string') throw new Refused(upload);
  const length = request.headers['content-length'];
  if (request.headers['transfer-encoding'] !== undefined || length === undefined)
    throw new Refused('length_required');
  if (length !== String(upload.byteSize)) throw new Refused('size_mismatch');
  if (request.headers['content-type'] !== upload.contentType) throw new Refused('type_mismatch');

  acceptBody();
  // When the file system refuses, the connection must stay open for the answer.
  const body = request.iterator({ destroyOnReturn: false });
  const etag = await writeObject({ layout, keyRing }, upload, body);
  response.writeHead(200, { ...COMMON_HEADERS, etag: `"${etag}"`, 'content-length': 0 });
  response.end();
}

/** Sends a clean object as an attachment; no URL reaches the other areas. Throws Refused. */
async function sendDownload(
  { links, store }: Parts,
  { request, response, key, query }: Transfer,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Refused('method_not_allowed', 'GET, HEAD');
  const download = links.readDownload(key, query);
  if (typeof download === 'string') throw new Refused(download);
  if (request.headers.range !== undefined) throw new Refused('range_refused');
  const object = await store.stat('clean', key);
  if (!object) throw new Refused('not_found');

  const headers = {
    ...COMMON_HEADERS,
    'content-type': download.contentType,
    'content-length': object.byteSize,
    'content-disposition': contentDisposition(download.filename),
    etag: `"${object.etag}"`,
    'accept-ranges': 'none',
  };
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  const bytes = await store.read('clean', key, object.etag).catch((error: unknown) => {
    throw error instanceof ObjectChanged ? new Refused('not_found') : error;
  });
  response.writeHead(200, headers);
  await pipeline(bytes, response);
}

/** Undefined when the client has disconnected: the error then comes from the connection. */
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
