import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Clock } from '@supplier/lib/text/time';
import { type Client, CopyConditions } from 'minio';
import { contentDisposition } from '../content-disposition.ts';
import {
  type Area,
  type ListedObject,
  ObjectChanged,
  type ObjectStore,
  type StoredObject,
  StoreUnavailable,
} from '../object-store.ts';
import type { S3StoreConfig } from '../store-config.ts';
import { credentialSources } from './credentials.ts';
import { presign } from './presign.ts';
import { openS3Client } from './s3-client.ts';
import { isAbsent, isChanged, onStore } from './s3-errors.ts';

const PAGE = 1_000;

/** The bucket and prefix of an area, and a client with the bucket's credentials. */
interface AreaLocation {
  readonly client: Client;
  readonly bucket: string;
  readonly prefix: string;
}

/**
 * Returns a store that keeps objects in two buckets: `incoming/` and `held/` of the quarantine bucket, and the clean
 * bucket. The quarantine bucket is used with its own credentials. The clean bucket is written, read and presigned with
 * the credentials of its user, who also needs read access, and only that, to the quarantine bucket for copies.
 */
export function s3Store(config: S3StoreConfig, clock: Clock): ObjectStore {
  const { endpoint, publicUrl, region } = config;
  const credentials = credentialSources(config, clock);
  const quarantine = openS3Client(endpoint, region, credentials.quarantine);
  const clean = openS3Client(endpoint, region, credentials.clean);
  const locations: Record<Area, AreaLocation> = {
    incoming: { client: quarantine, bucket: config.quarantineBucket, prefix: 'incoming/' },
    held: { client: quarantine, bucket: config.quarantineBucket, prefix: 'held/' },
    clean: { client: clean, bucket: config.cleanBucket, prefix: '' },
  };

  return {
    uploadUrl: async ({ key, contentType, byteSize, expiresAt }) =>
      presign({
        method: 'PUT',
        publicUrl,
        path: `/${config.quarantineBucket}/incoming/${key}`,
        region,
        credentials: await credentials.quarantine.goodUntil(expiresAt),
        headers: { 'content-type': contentType, 'content-length': String(byteSize) },
        query: {},
        now: clock.now(),
        expiresAt,
      }),
    downloadUrl: async ({ key, filename, contentType, expiresAt }) =>
      presign({
        method: 'GET',
        publicUrl,
        path: `/${config.cleanBucket}/${key}`,
        region,
        credentials: await credentials.clean.goodUntil(expiresAt),
        headers: {},
        query: {
          'response-content-disposition': contentDisposition(filename),
          'response-content-type': contentType,
          'response-cache-control': 'no-store',
        },
        now: clock.now(),
        expiresAt,
      }),
    stat: (area, key) => onStore('stat an object', () => statObject(locations[area], key)),
    read: (area, key, etag) => onStore('read an object', () => readObject(locations[area], key, etag)),
    copy: (from, to) =>
      onStore('copy an object', () => copyObject(locations[from.area], locations[to.area], from, to.key)),
    remove: (area, key) =>
      onStore('remove an object', async () => {
        const { client, bucket, prefix } = locations[area];
        await client.removeObject(bucket, prefix + key).catch(ignoreAbsent);
      }),
    list: (area) => listObjects(locations[area]),
    check: () =>
      onStore('reach its buckets', async () => {
        for (const { client, bucket } of [locations.held, locations.clean])
          await assertBucket(client, bucket);
      }),
  };
}

async function statObject(
  { client, bucket, prefix }: AreaLocation,
  key: string,
): Promise<StoredObject | undefined> {
  try {
    const { size, etag, metaData } = await client.statObject(bucket, prefix + key);
    return { byteSize: size, contentType: String(metaData['content-type'] ?? ''), etag };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // A response to HEAD does not distinguish a missing object from a missing bucket.
    await assertBucket(client, bucket);
    return undefined;
  }
}

async function readObject(
  { client, bucket, prefix }: AreaLocation,
  key: string,
  etag: string,
): Promise<Readable> {
  const request = {
    method: 'GET',
    bucketName: bucket,
    objectName: prefix + key,
    headers: { 'if-match': `"${etag}"` },
  };
  const response = await client.makeRequestAsync(request).catch(changedOrElse);
  if (unquoted(response.headers.etag) !== etag) {
    response.destroy();
    throw new ObjectChanged();
  }
  return bytesOf(response);
}

/** Returns the body of a response. Destroying it, even unread, frees the connection. */
function bytesOf(response: Readable): Readable {
  const bytes = new PassThrough();
  response.once('error', (error) => bytes.destroy(new StoreUnavailable('read an object', error)));
  // The reader gets the error from the stream.
  pipeline(response, bytes, () => {});
  return bytes;
}

async function copyObject(
  source: AreaLocation,
  target: AreaLocation,
  from: { key: string; etag: string },
  key: string,
): Promise<string> {
  const condition = new CopyConditions();
  condition.setMatchETag(`"${from.etag}"`);
  const path = `/${source.bucket}/${source.prefix}${from.key}`;
  const copied = await target.client
    .copyObject(target.bucket, target.prefix + key, path, condition)
    .catch(changedOrElse);
  const etag = 'etag' in copied ? unquoted(String(copied.etag)) : '';
  // A copy that fails after the store began its response ends with an error in a 200 response.
  if (!etag) throw new StoreUnavailable('copy an object');
  return etag;
}

async function* listObjects({ client, bucket, prefix }: AreaLocation): AsyncGenerator<ListedObject> {
  let token = '';
  do {
    const page = await onStore('list objects', () =>
      client.listObjectsV2Query(bucket, prefix, token, '', PAGE, ''),
    );
    for (const { name, size, lastModified } of page.objects) {
      if (name === undefined || lastModified === undefined) continue;
      yield { key: name.slice(prefix.length), byteSize: size, storedAt: lastModified };
    }
    token = page.isTruncated ? page.nextContinuationToken : '';
  } while (token);
}

async function assertBucket(client: Client, bucket: string): Promise<void> {
  if (!(await client.bucketExists(bucket))) throw new Error(`bucket ${bucket} does not exist`);
}

function changedOrElse(error: unknown): never {
  throw isChanged(error) ? new ObjectChanged() : error;
}

function ignoreAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}

function unquoted(etag: string | undefined): string {
  return (etag ?? '').replace(/^"|"$/g, '');
}
