import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { addressKey, clientAddress } from '@supplier/lib/rpc/client-address';
import type { Logger } from '@supplier/lib/runtime/log';
import { newId } from '@supplier/lib/text/ids';
import { mediaTypeOf } from '@supplier/lib/text/media-type';
import { contentDisposition } from '../content-disposition.ts';
import { ObjectChanged, type ObjectStore, StoreUnavailable } from '../object-store.ts';
import { KEY, type Layout } from './directory.ts';
import { COMMON_HEADERS, type RefusalName, Refused, refuse } from './refusals.ts';
import type { SignedLinks } from './signed-links.ts';
import { cutWhenSlow, type Places, places, type TransferBounds } from './transfer-bounds.ts';
import { writeObject } from './write-object.ts';

/**
 * How long the rest of a refused body may still arrive: if cut immediately, many clients would never read the response.
 */
const LINGER_MS = 5_000;

/** Headers that indicate a partial or encoded body. */
const NOT_AS_IT_IS = ['content-encoding', 'content-range'];

/** Refusals caused by the service. */
const SERVER_FAULTS = new Set<RefusalName>(['internal_error', 'store_unavailable']);

interface Parts {
  readonly layout: Layout;
  readonly keyRing: KeyRing;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly bounds: TransferBounds;
  /** Whether an address belongs to a trusted proxy, whose X-Forwarded-For is used. */
  readonly isProxy: (address: string) => boolean;
}

/** `proceed` sends `100 Continue` to a client that waits for it, or returns why the body is refused. */
type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  proceed: (() => void) | RefusalName,
) => Promise<void>;

/** One request and the parsed contents of its URL. */
interface Transfer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: string;
  readonly query: string;
  /** Holds a place until the transfer has ended. Throws Refused when none is free. */
  readonly hold: (name: string, max: number) => void;
}

/**
 * Returns the request handler of the upload listener. It limits concurrent transfers in total and per address, account
 * and URL, and writes one log line for each, which contains neither the URL (it is a secret) nor a filename.
 */
export function handleTransfers(parts: Parts): Handle {
  const { bounds, isProxy } = parts;
  const taken: Places = places();

  return async (request, response, proceed) => {
    const started = performance.now();
    const requestId = newId();
    const { kind, key, query } = targetOf(request.url);
    const held: (() => void)[] = [];
    const hold = (name: string, max: number) => {
      const release = taken.take(name, max);
      if (!release) throw new Refused('busy');
      held.push(release);
    };
    const transfer = { request, response, key, query, hold };
    response.setHeader('x-request-id', requestId);
    let bodyExpected = request.headers.expect === undefined;
    let outcome: string = 'done';
    try {
      if (typeof proceed === 'string') throw new Refused(proceed);
      hold('all', bounds.maxTransfers);
      hold(`address ${addressKey(clientAddress(request, isProxy))}`, bounds.maxOfAddress);
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
      // A body that arrives although no 100 Continue was sent would be parsed as the next request.
      if (!bodyExpected) response.shouldKeepAlive = false;
      endWith(request, response, refusal);
    } finally {
      for (const release of held) release();
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

/** `unknown` for any other path. */
function targetOf(url = ''): { kind: string; key: string; query: string } {
  const end = url.indexOf('?');
  const [path, query] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
  const [, kind = '', key = ''] = /^\/(uploads|downloads)\/([^/]+)$/.exec(path) ?? [];
  return { kind: KEY.test(key) ? kind : 'unknown', key, query };
}

/**
 * Stores one object as its URL admits it. Checks everything before it accepts the body; a truncated body leaves no
 * file. Throws Refused. A length or type other than the signed one gives 403, as in S3, whose signature covers both.
 */
async function receiveUpload(
  { layout, keyRing, links, bounds }: Parts,
  { request, response, key, query, hold }: Transfer,
  acceptBody: () => void,
): Promise<void> {
  if (request.method !== 'PUT') throw new Refused('method_not_allowed', 'PUT');
  const upload = links.readUpload(key, query);
  if (typeof upload === 'string') throw new Refused(upload);
  const length = request.headers['content-length'];
  if (request.headers['transfer-encoding'] !== undefined || length === undefined)
    throw new Refused('length_required');
  if (length !== String(upload.byteSize)) throw new Refused('size_mismatch');
  if (!isSameType(request.headers['content-type'], upload.contentType)) throw new Refused('type_mismatch');
  if (NOT_AS_IT_IS.some((name) => request.headers[name] !== undefined)) throw new Refused('not_as_it_is');
  hold(`owner ${upload.owner}`, bounds.maxOfOwner);
  hold(`key ${key}`, bounds.maxOfKey);

  acceptBody();
  // When the file system fails, the connection must stay open for the response.
  const body = request.iterator({ destroyOnReturn: false });
  const stop = cutWhenSlow(request.socket, bounds);
  request.once('end', stop);
  const etag = await writeObject({ layout, keyRing }, upload, body).finally(stop);
  response.writeHead(200, { ...COMMON_HEADERS, etag: `"${etag}"`, 'content-length': 0 });
  response.end();
}

function isSameType(given = '', signed: string): boolean {
  return given === signed || (mediaTypeOf(given) !== undefined && mediaTypeOf(given) === mediaTypeOf(signed));
}

/** Sends a clean object as an attachment; no URL reaches the other areas. Throws Refused. */
async function sendDownload(
  { links, store, bounds }: Parts,
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
  const stop = cutWhenSlow(request.socket, bounds);
  await pipeline(bytes, response).finally(stop);
}

/** Undefined when the client has disconnected, because the connection reports that error. */
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
