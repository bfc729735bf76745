import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { addressesIn, addressKey } from '@supplier/lib/rpc/client-address';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { newId } from '@supplier/lib/text/ids';
import type { ObjectStore } from '../object-store.ts';
import type { UploadListenerConfig } from '../store-config.ts';
import { type Layout, startTemporarySweep } from './directory.ts';
import { COMMON_HEADERS, REFUSALS, type RefusalName, refusalBody } from './refusals.ts';
import type { SignedLinks } from './signed-links.ts';
import { places, TRANSFER_BOUNDS, type TransferBounds } from './transfer-bounds.ts';
import { handleTransfers } from './transfers.ts';

/** Limits on concurrency and waiting times of the listener. */
export interface ListenerBounds extends TransferBounds {
  readonly maxConnections: number;
  /** Trusted proxies may have more. */
  readonly maxConnectionsOfAddress: number;
  /** Maximum idle time of a connection. */
  readonly idleMs: number;
  /** Maximum time of one request, from its first byte to the last of its body. */
  readonly requestMs: number;
}

const BOUNDS: ListenerBounds = {
  ...TRANSFER_BOUNDS,
  maxConnections: 512,
  maxConnectionsOfAddress: 256,
  idleMs: 30_000,
  requestMs: 600_000,
};
const MAX_HEADER_BYTES = 16 * 1024;
/** How long the response to malformed input may wait to be read. */
const LINGER_MS = 5_000;
/** How long active transfers may continue when the process stops. */
const DRAIN_MS = 5_000;

export interface ListenerParts {
  readonly config: Omit<UploadListenerConfig, 'publicUrl'>;
  readonly layout: Layout;
  readonly keyRing: KeyRing;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly bounds?: Partial<ListenerBounds>;
}

/**
 * Serves uploads (`PUT /uploads/<key>`) and downloads (`GET /downloads/<key>`) of the disk store by signed URL only,
 * until the process stops. Resolves to the port once it listens.
 */
export async function startUploadListener(process: ServiceProcess, parts: ListenerParts): Promise<number> {
  const bounds = { ...BOUNDS, ...parts.bounds };
  const isProxy = addressesIn(parts.config.trustedProxies);
  const handle = handleTransfers({ ...parts, log: process.log, bounds, isProxy });
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(10_000, bounds.requestMs),
    requestTimeout: bounds.requestMs,
    connectionsCheckingInterval: Math.min(5_000, bounds.requestMs),
    keepAliveTimeout: 5_000,
  });
  server.timeout = bounds.idleMs;
  server.maxConnections = bounds.maxConnections;
  server.on('request', (request, response) => handle(request, response, () => {}));
  server.on('checkContinue', (request, response) =>
    handle(request, response, () => response.writeContinue()),
  );
  server.on('checkExpectation', (request, response) => handle(request, response, 'expectation_failed'));
  server.on('clientError', answerBrokenRequest);
  // There is no listener for `connect`, so Node.js closes such connections, or for `upgrade`, so it ignores the header.
  const connections = places();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const release = connections.take(addressKey(address), bounds.maxConnectionsOfAddress);
    if (release) socket.once('close', release);
    else socket.destroy();
  });

  await listen(server, parts.config);
  process.onStop('upload listener', () => close(server), 'listeners');
  startTemporarySweep(process, parts.layout);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('upload listener has no port');
  return address.port;
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
}

/** Answers input that Node.js cannot parse as HTTP and therefore never emits as a request. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = refusalForCode(error.code);
  const body = refusalBody(refusal);
  const headers = {
    ...COMMON_HEADERS,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  // Does not wait for a client that does not read its response.
  const unread = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(unread));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${REFUSALS[refusal].status} Refused\r\n${lines.join('')}\r\n${body}`, () => {
    socket.destroy();
  });
}

function refusalForCode(code: string | undefined): RefusalName {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request';
}
