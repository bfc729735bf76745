import http from 'node:http';
import https from 'node:https';
import { Client } from 'minio';
import type { S3Credentials } from '../store-config.ts';

const MAX_SOCKETS = 32;
/** How long the store may say nothing. */
const IDLE_MS = 10_000;
/** How long one request may take, with the body of its answer: an object is read in one GET. */
const REQUEST_MS = { read: 300_000, other: 30_000 };

/** Answers that the client would like to retry. It throws them away unread, and with them their connections. */
const UNREAD = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/**
 * A client of the store at `endpoint` with one set of credentials. At most 32 connections; every wait is bounded; it
 * repeats nothing by itself, since whoever calls knows better when, and buffers no objects.
 */
export function openS3Client(endpoint: string, region: string, credentials: S3Credentials): Client {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: 4 };
  return new Client({
    endPoint: hostname,
    ...(port ? { port: Number(port) } : {}),
    useSSL,
    region,
    accessKey: credentials.accessKeyId,
    secretKey: credentials.secretAccessKey,
    pathStyle: true,
    transport: { request: bounded(useSSL ? https.request : http.request) },
    transportAgent: useSSL ? new https.Agent(options) : new http.Agent(options),
    retryOptions: { disableRetry: true },
  });
}

/** The client sets no time limits of its own. */
function bounded(send: typeof http.request): typeof http.request {
  function request(
    options: http.RequestOptions,
    onResponse?: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const limit = options.method === 'GET' ? REQUEST_MS.read : REQUEST_MS.other;
    const sent = send(
      { ...options, timeout: IDLE_MS, signal: AbortSignal.timeout(limit) },
      (response: http.IncomingMessage) => {
        if (UNREAD.has(response.statusCode ?? 0)) response.resume();
        onResponse?.(response);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('the store said nothing for too long')));
    return sent;
  }
  return request as typeof http.request;
}
