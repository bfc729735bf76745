import http from 'node:http';
import https from 'node:https';
import { Client } from 'minio';
import type { S3Credentials } from '../store-config.ts';

const MAX_SOCKETS = 32;
/** How long the connection may be idle. */
const IDLE_MS = 10_000;
/** How long one request may take, the body of its response included: an object is read in one GET. */
const REQUEST_MS = { read: 300_000, other: 30_000 };

/** Statuses that the client treats as retryable: it drops such responses unread, and their connections would leak. */
const RETRYABLE = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/**
 * A client of the store at `endpoint` with one set of credentials. At most 32 connections; every wait is bounded; no
 * retries, which are the caller's decision; no buffering of objects.
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

/** Adds the time limits that the client lacks. */
function bounded(send: typeof http.request): typeof http.request {
  function request(
    options: http.RequestOptions,
    onResponse?: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const limit = options.method === 'GET' ? REQUEST_MS.read : REQUEST_MS.other;
    const sent = send(
      { ...options, timeout: IDLE_MS, signal: AbortSignal.timeout(limit) },
      (response: http.IncomingMessage) => {
        if (RETRYABLE.has(response.statusCode ?? 0)) response.resume();
        onResponse?.(response);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`S3 connection idle for ${IDLE_MS} ms`)));
    return sent;
  }
  return request as typeof http.request;
}
