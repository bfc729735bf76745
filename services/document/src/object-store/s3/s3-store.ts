import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Clock } from '@supplier/lib/time';
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
import { presign } from './presign.ts';
import { openS3Client } from './s3-client.ts';
import { isAbsent, isChanged, onStore } from './s3-errors.ts';

const PAGE = 1_000;

/** Where an area lies, and as whom it is worked on. */
interface Place {
  readonly client: Client;
  readonly bucket: string;
  readonly prefix: string;
}

/**
 * Keeps objects in two buckets: `incoming/` and `held/` of the quarantine bucket, and the clean bucket. Everything in
 * quarantine is done as its user; what is clean is written, read and presigned as the clean bucket's user, who needs to
 * read the quarantine bucket for the copy and nothing more of it.
 */
export function s3Store(config: S3StoreConfig, clock: Clock): ObjectStore {
  const { endpoint, publicUrl, region } = config;
  const quarantine = openS3Client(endpoint, region, config.quarantine);
  const clean = openS3Client(endpoint, region, config.clean);
  const places: Record<Area, Place> = {
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
        credentials: config.quarantine,
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
        credentials: config.clean,
        headers: {},
        query: {
          'response-content-disposition': contentDisposition(filename),
          'response-content-type': contentType,
          'response-cache-control': 'no-store',
        },
        now: clock.now(),
        expiresAt,
      }),
    stat: (area, key) => onStore('look at an object', () => statObject(places[area], key)),
    read: (area, key, etag) => onStore('read an object', () => readObject(places[area], key, etag)),
    copy: (from, to) =>
      onStore('copy an object', () => copyObject(places[from.area], places[to.area], from, to.key)),
    remove: (area, key) =>
      onStore('remove an object', async () => {
        const { client, bucket, prefix } = places[area];
        await client.removeObject(bucket, prefix + key).catch(ignoreAbsent);
      }),
    list: (area) => listObjects(places[area]),
    check: () =>
      onStore('be reached', async () => {
        for (const { client, bucket } of [places.held, places.clean]) await assertBucket(client, bucket);
      }),
  };
}

async function statObject({ client, bucket, prefix }: Place, key: string): Promise<StoredObject | undefined> {
  try {
    const { size, etag, metaData } = await client.statObject(bucket, prefix + key);
    return { byteSize: size, contentType: String(metaData['content-type'] ?? ''), etag };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // An answer to HEAD cannot say what is missing; a missing bucket says nothing about the object.
    await assertBucket(client, bucket);
    return undefined;
  }
}

async function readObject({ client, bucket, prefix }: Place, key: string, etag: string): Promise<Readable> {
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

/** The body of an answer. Giving it up, even unread, frees its connection. */
function bytesOf(response: Readable): Readable {
  const bytes = new PassThrough();
  response.once('error', (error) => bytes.destroy(new StoreUnavailable('read an object', error)));
  // How it ended is told by the stream itself.
  pipeline(response, bytes, () => {});
  return bytes;
}

async function copyObject(
  source: Place,
  target: Place,
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
  // A copy that breaks after the store began to answer ends in an error with status 200.
  if (!etag) throw new StoreUnavailable('copy an object');
  return etag;
}

async function* listObjects({ client, bucket, prefix }: Place): AsyncGenerator<ListedObject> {
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
  if (!(await client.bucketExists(bucket))) throw new Error(`there is no bucket ${bucket}`);
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
