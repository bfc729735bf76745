import http from 'node:http';
import https from 'node:https';
import { Client, type ClientOptions } from 'minio';
import { CredentialProvider } from 'minio/dist/esm/CredentialProvider.mjs';
import { Credentials } from 'minio/dist/esm/Credentials.mjs';
import type { S3CredentialSource } from './role-credentials.ts';

const MAX_SOCKETS = 32;
const IDLE_MS = 10_000;
/** Maximum time of one request, including the body of its response: an object is read in one GET. */
const REQUEST_MS = { read: 300_000, other: 30_000 };

/** Statuses that the client treats as retryable: it drops such responses unread, and their connections would leak. */
const RETRYABLE = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/**
 * Opens a client of the store at `endpoint` that gets its credentials before each request. At most 32 connections;
 * every wait is bounded; no retries, which the caller decides on; no buffering of objects.
 */
export function openS3Client(endpoint: string, region: string, source: S3CredentialSource): Client {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: 4 };
  return new Client({
    endPoint: hostname,
    ...(port ? { port: Number(port) } : {}),
    useSSL,
    region,
    pathStyle: true,
    transport: { request: bounded(useSSL ? https.request : http.request) },
    transportAgent: useSSL ? new https.Agent(options) : new http.Agent(options),
    retryOptions: { disableRetry: true },
    credentialsProvider: providerOf(source),
  });
}

type Provider = NonNullable<ClientOptions['credentialsProvider']>;

/** Adapts the source to the provider that the client queries before each request. */
function providerOf(source: S3CredentialSource): Provider {
  class SourceProvider extends CredentialProvider {
    override async getCredentials(): Promise<Credentials> {
      const { accessKeyId, secretAccessKey, sessionToken } = await source.goodUntil();
      const session = sessionToken === undefined ? {} : { sessionToken };
      return new Credentials({ accessKey: accessKeyId, secretKey: secretAccessKey, ...session });
    }
  }
  // The package declares its classes twice, for CommonJS and for ES modules, and TypeScript considers them different.
  return new SourceProvider({ accessKey: '', secretKey: '' }) as unknown as Provider;
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
