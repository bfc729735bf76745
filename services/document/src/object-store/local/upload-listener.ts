import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { contentDisposition } from '../content-disposition.ts';
import { ObjectChanged, type ObjectStore, StoreUnavailable } from '../object-store.ts';
import type { UploadListenerConfig } from '../store-config.ts';
import { KEY, writeObject } from './local-store.ts';
import type { SignedLinks } from './signed-links.ts';

/** Limits on concurrent transfers, and on the time of each. */
export interface ListenerBounds {
  readonly maxTransfers: number;
  readonly transferMs: number;
}

const BOUNDS: ListenerBounds = { maxTransfers: 128, transferMs: 300_000 };
const MAX_CONNECTIONS = 512;
const HEADERS_MS = 10_000;
const IDLE_MS = 30_000;
/** How long active transfers may continue when the process stops. */
const DRAIN_MS = 5_000;

/** Every refusal, with the status that S3 has for it where S3 makes it. */
const REFUSALS = {
  not_whole: [400, 'Send the whole file, without Content-Encoding or Content-Range.'],
  forged: [403, 'The URL is not exactly as it was issued.'],
  expired: [403, 'The URL has expired. Request a new one.'],
  size_mismatch: [403, 'Content-Length must be the size that the URL was issued for.'],
  type_mismatch: [403, 'Content-Type must be the one that the URL was issued for.'],
  not_found: [404, 'There is no such file.'],
  method_not_allowed: [405, 'The URL is for a different method.'],
  length_required: [411, 'Send Content-Length. Chunked bodies are not accepted.'],
  internal_error: [500, 'Something went wrong. Try again.'],
  busy: [503, 'Too many transfers are in progress. Try again.'],
  store_unavailable: [503, 'Files cannot be stored at the moment. Try again.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

class Refused extends Error {
  readonly refusal: keyof typeof REFUSALS;
  constructor(refusal: keyof typeof REFUSALS) {
    super(refusal);
    this.refusal = refusal;
  }
}

export interface ListenerParts {
  readonly config: Pick<UploadListenerConfig, 'host' | 'port'>;
  /** The directory of the store. */
  readonly root: string;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly bounds?: ListenerBounds;
}

/** Serves uploads and downloads of the local store by signed URL only, until the process stops. */
export async function startUploadListener(
  process: ServiceProcess,
  { config, bounds = BOUNDS, ...parts }: ListenerParts,
): Promise<void> {
  let transfers = 0;
  const server = createServer({ headersTimeout: HEADERS_MS });
  server.timeout = IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', async (request, response) => {
    const late = setTimeout(() => request.socket.destroy(), bounds.transferMs);
    transfers += 1;
    try {
      if (transfers > bounds.maxTransfers) throw new Refused('busy');
      await transfer(parts, request, response);
    } catch (error) {
      // A client that disconnects is no failure of ours.
      if (!(error instanceof Refused || request.socket.destroyed))
        process.log.error({ err: error }, 'transfer failed');
      if (response.headersSent) response.destroy();
      else refuse(response, refusalFor(error));
    } finally {
      clearTimeout(late);
      transfers -= 1;
    }
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  process.onStop('upload listener', () => close(server), 'listeners');
}

/** Serves `PUT /uploads/<key>` and `GET /downloads/<key>`. Throws Refused. */
async function transfer(
  parts: Pick<ListenerParts, 'root' | 'links' | 'store'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, kind, key = '', query = ''] =
    /^\/(uploads|downloads)\/([^/?]+)(?:\?(.*))?$/.exec(request.url ?? '') ?? [];
  if ((kind !== 'uploads' && kind !== 'downloads') || !KEY.test(key)) throw new Refused('not_found');
  if (request.method !== (kind === 'uploads' ? 'PUT' : 'GET')) throw new Refused('method_not_allowed');
  const fields = parts.links.read(kind, key, query);
  if (typeof fields === 'string') throw new Refused(fields);
  const { size = '', type = '', name = '' } = fields;
  if (kind === 'downloads') return sendObject(parts.store, { key, type, name }, response);

  checkHeaders(request, { size, type });
  const object = { area: 'incoming', key, contentType: type, byteSize: Number(size) } as const;
  // The connection must stay open for the response when the file system fails.
  const etag = await writeObject(parts.root, object, request.iterator({ destroyOnReturn: false }));
  response.writeHead(200, { etag: `"${etag}"`, 'content-length': 0 }).end();
}

/** Throws Refused unless the body has the signed size and type. */
function checkHeaders({ headers }: IncomingMessage, signed: { size: string; type: string }): void {
  const length = headers['content-length'];
  if (length === undefined || headers['transfer-encoding'] !== undefined)
    throw new Refused('length_required');
  if (length !== signed.size) throw new Refused('size_mismatch');
  if (headers['content-type'] !== signed.type) throw new Refused('type_mismatch');
  if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined)
    throw new Refused('not_whole');
}

/** Sends a clean object as an attachment; no URL reaches the other areas. Throws Refused. */
async function sendObject(
  store: ObjectStore,
  { key, type, name }: { key: string; type: string; name: string },
  response: ServerResponse,
): Promise<void> {
  const object = await store.stat('clean', key);
  if (!object) throw new Refused('not_found');
  const bytes = await store.read('clean', key, object.etag);
  response.writeHead(200, {
    'content-type': type,
    'content-length': object.byteSize,
    'content-disposition': contentDisposition(name),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    etag: `"${object.etag}"`,
  });
  await pipeline(bytes, response);
}

function refusalFor(error: unknown): keyof typeof REFUSALS {
  if (error instanceof Refused) return error.refusal;
  if (error instanceof StoreUnavailable) return 'store_unavailable';
  return error instanceof ObjectChanged ? 'not_found' : 'internal_error';
}

function refuse(response: ServerResponse, code: keyof typeof REFUSALS): void {
  const [status, message] = REFUSALS[code];
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify({ error: { code, message } }));
  // Many clients read the response only after they have sent the whole body.
  response.req.resume();
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
}
