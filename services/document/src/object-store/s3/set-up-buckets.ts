import { systemClock } from '@supplier/lib/text/time';
import { type Client, S3Error } from 'minio';
import type { S3StoreConfig } from '../store-config.ts';
import { credentialSources } from './credentials.ts';
import { openS3Client } from './s3-client.ts';
import { codeOf, onStore } from './s3-errors.ts';

/** Set by earlier releases. It removed uploads that were never finalized, ignoring legal holds. */
const FORMER_RULE = 'incoming-expires';

/**
 * Creates both buckets, each with its own credentials, without lifecycle rules: the service decides about removal and
 * legal holds. Removes the rule that an earlier release set. Yields a sentence for each step. Leaves existing buckets
 * and other rules unchanged. Throws StoreUnavailable.
 */
export async function* setUpBuckets(config: S3StoreConfig): AsyncGenerator<string> {
  const { endpoint, region, quarantineBucket, cleanBucket } = config;
  const credentials = credentialSources(config, systemClock);
  const quarantine = openS3Client(endpoint, region, credentials.quarantine);
  const clean = openS3Client(endpoint, region, credentials.clean);
  yield await onStore('create a bucket', () => setUpBucket(quarantine, quarantineBucket, region));
  yield await onStore('create a bucket', () => setUpBucket(clean, cleanBucket, region));
  const former = await onStore('read a lifecycle', () => removeFormerRule(quarantine, quarantineBucket));
  if (former) yield former;
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

async function removeFormerRule(client: Client, bucket: string): Promise<string | undefined> {
  try {
    const rules = await rulesOf(client, bucket);
    if (!rules.includes(FORMER_RULE)) return undefined;
    // A lifecycle can only be replaced as a whole, which would delete other rules.
    if (rules.length > 1)
      return `bucket ${bucket} has the lifecycle rule ${FORMER_RULE} among others: remove it, because it ignores legal holds`;
    await client.removeBucketLifecycle(bucket);
    return `removed the lifecycle rule ${FORMER_RULE} of bucket ${bucket}, because it ignores legal holds`;
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return `lifecycle rules of bucket ${bucket} could not be read (${codeOf(error)}): make sure that none removes objects`;
  }
}

async function rulesOf(client: Client, bucket: string): Promise<string[]> {
  try {
    const lifecycle = await client.getBucketLifecycle(bucket);
    // The parser returns a single rule as an object, not as a list.
    return [lifecycle?.Rule ?? []].flat().map(({ ID }) => ID);
  } catch (error) {
    if (codeOf(error) === 'NoSuchLifecycleConfiguration') return [];
    throw error;
  }
}
