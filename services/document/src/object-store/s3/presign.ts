import { createHash, createHmac } from 'node:crypto';
import type { S3Credentials } from '../store-config.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** The protocol's maximum: one week. */
const MAX_SECONDS = 604_800;

export interface Presigned {
  readonly method: 'GET' | 'PUT';
  /** Scheme and host of the URL; the host is signed. */
  readonly publicUrl: string;
  /** Path including the bucket, not encoded. */
  readonly path: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** Headers that the request must have with exactly these values, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly now: Date;
  readonly expiresAt: Date;
}

/**
 * Returns a URL that admits one request as described until it expires (whole seconds, at least one, at most a week):
 * AWS Signature Version 4 in the query, covering the headers but not the body.
 */
export function presign(request: Presigned): string {
  const { method, publicUrl, path, region, credentials, now } = request;
  const { host } = new URL(publicUrl);
  const stamp = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers = sorted({ ...request.headers, host });
  const names = headers.map(([name]) => name).join(';');
  const encodedPath = path.split('/').map(encode).join('/');
  const query = sorted({
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(secondsBetween(now, request.expiresAt)),
    'X-Amz-SignedHeaders': names,
    ...(credentials.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': credentials.sessionToken }),
  })
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');

  const canonical = [
    method,
    encodedPath,
    query,
    ...headers.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const toSign = [ALGORITHM, stamp, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signature = hmac(signingKey(credentials.secretAccessKey, scope), toSign).toString('hex');
  return `${new URL(publicUrl).origin}${encodedPath}?${query}&X-Amz-Signature=${signature}`;
}

/** Returns the signing key for a day, region and service; `scope` is `day/region/service/aws4_request`. */
export function signingKey(secret: string, scope: string): Buffer {
  return scope.split('/').reduce(hmac, Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function secondsBetween(now: Date, then: Date): number {
  const seconds = Math.floor((then.getTime() - now.getTime()) / 1000);
  return Math.min(Math.max(seconds, 1), MAX_SECONDS);
}

function sorted(pairs: Readonly<Record<string, string>>): [name: string, value: string][] {
  return Object.entries(pairs).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Percent-encodes all characters except the unreserved ones of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
