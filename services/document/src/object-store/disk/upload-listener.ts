import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '@supplier/lib/ids';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import type { ObjectStore } from '../object-store.ts';
import type { UploadListenerConfig } from '../store-config.ts';
import { ALWAYS, REFUSALS, type RefusalName, refusalBody } from './answers.ts';
import { handleTransfer } from './handle-transfer.ts';
import type { Layout } from './layout.ts';
import type { SignedLinks } from './signed-links.ts';
import { keepTemporariesSwept } from './sweep-temporaries.ts';

/** What the listener admits at once, and how long it waits. */
export interface ListenerBounds {
  /** Uploads and downloads under way; each holds some 256 KiB. */
  readonly transfers: number;
  readonly connections: number;
  /** How long a client may send or take nothing. */
  readonly idleMs: number;
  /** How long one request may take, from its first byte to the last of its body. */
  readonly requestMs: number;
}

const BOUNDS: ListenerBounds = { transfers: 128, connections: 512, idleMs: 30_000, requestMs: 600_000 };
const MAX_HEADER_BYTES = 16 * 1024;
/** How long what is under way may still take when the process stops. */
const DRAIN_MS = 5_000;

export interface ListenerParts {
  readonly config: Pick<UploadListenerConfig, 'host' | 'port'>;
  readonly layout: Layout;
  readonly links: SignedLinks;
  readonly store: ObjectStore;
  readonly bounds?: Partial<ListenerBounds>;
}

/**
 * Takes uploads (`PUT /uploads/<key>`) and gives downloads (`GET /downloads/<key>`) of the disk store, each by its
 * signed URL and nothing else, until the process stops. Resolves to the port once it listens.
 */
export async function startUploadListener(process: ServiceProcess, parts: ListenerParts): Promise<number> {
  const bounds = { ...BOUNDS, ...parts.bounds };
  const handle = handleTransfer({ ...parts, log: process.log, transfers: bounds.transfers });
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(10_000, bounds.requestMs),
    requestTimeout: bounds.requestMs,
    connectionsCheckingInterval: Math.min(5_000, bounds.requestMs),
    keepAliveTimeout: 5_000,
  });
  server.timeout = bounds.idleMs;
  server.maxConnections = bounds.connections;
  server.on('request', (request, response) => handle(request, response, () => {}));
  server.on('checkContinue', (request, response) =>
    handle(request, response, () => response.writeContinue()),
  );
  server.on('checkExpectation', (request, response) => handle(request, response, 'expectation_failed'));
  server.on('clientError', answerBrokenRequest);

  await listen(server, parts.config);
  process.onStop('upload listener', () => close(server), 'listeners');
  keepTemporariesSwept(process, parts.layout);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upload listener has no port');
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

/** What HTTP itself does not understand never becomes a request, and is answered here. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = brokenAs(error.code);
  const body = refusalBody(refusal);
  const headers = {
    ...ALWAYS,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${REFUSALS[refusal].status} Refused\r\n${lines.join('')}\r\n${body}`, () => {
    socket.destroy();
  });
}

function brokenAs(code: string | undefined): RefusalName {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request';
}
