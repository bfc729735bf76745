import { systemClock } from '@supplier/lib/text/time';
import type { Client } from 'minio';
import type { S3StoreConfig } from '../store-config.ts';
import { credentialSources } from './credentials.ts';
import { openS3Client } from './s3-client.ts';
import { onStore } from './s3-errors.ts';

/**
 * Creates both buckets, each with its own credentials, without lifecycle rules: the service decides about removal and
 * legal holds. Yields a sentence for each step. Leaves existing buckets unchanged. Throws StoreUnavailable.
 */
export async function* setUpBuckets(config: S3StoreConfig): AsyncGenerator<string> {
  const { endpoint, region, quarantineBucket, cleanBucket } = config;
  const credentials = credentialSources(config, systemClock);
  const quarantine = openS3Client(endpoint, region, credentials.quarantine);
  const clean = openS3Client(endpoint, region, credentials.clean);
  yield await onStore('create a bucket', () => setUpBucket(quarantine, quarantineBucket, region));
  yield await onStore('create a bucket', () => setUpBucket(clean, cleanBucket, region));
}

async function setUpBucket(client: Client, bucket: string, region: string): Promise<string> {
  if (await client.bucketExists(bucket)) return `bucket ${bucket} exists`;
  try {
    await client.makeBucket(bucket, region);
  } catch (error) {
    // Another run may have created it meanwhile.
    if (!(await client.bucketExists(bucket))) throw error;
  }
  return `bucket ${bucket} created`;
}
