import { type Client, S3Error } from 'minio';
import type { S3StoreConfig } from '../store-config.ts';
import { openS3Client } from './s3-client.ts';
import { codeOf, onStore } from './s3-errors.ts';

/** No upload waits longer to be finalized; whatever housekeeping misses goes then. */
const INCOMING_DAYS = 2;
const RULE = 'incoming-expires';
const LIFECYCLE = {
  Rule: [
    { ID: RULE, Status: 'Enabled', Filter: { Prefix: 'incoming/' }, Expiration: { Days: INCOMING_DAYS } },
  ],
};

/**
 * Makes both buckets, each with its own credentials, and has the store expire what was uploaded and never finalized.
 * Yields a sentence for each step. What is there stays as it is; a store that knows no lifecycle is told of and done
 * without. Throws StoreUnavailable.
 */
export async function* setUpBuckets(config: S3StoreConfig): AsyncGenerator<string> {
  const { endpoint, region, quarantineBucket, cleanBucket } = config;
  const quarantine = openS3Client(endpoint, region, config.quarantine);
  const clean = openS3Client(endpoint, region, config.clean);
  yield await onStore('make a bucket', () => setUpBucket(quarantine, quarantineBucket, region));
  yield await onStore('make a bucket', () => setUpBucket(clean, cleanBucket, region));
  yield await onStore('set a lifecycle', () => setUpLifecycle(quarantine, quarantineBucket));
}

async function setUpBucket(client: Client, bucket: string, region: string): Promise<string> {
  if (await client.bucketExists(bucket)) return `bucket ${bucket} is there`;
  try {
    await client.makeBucket(bucket, region);
  } catch (error) {
    // Made by another run in the meantime, perhaps.
    if (!(await client.bucketExists(bucket))) throw error;
  }
  return `bucket ${bucket} made`;
}

async function setUpLifecycle(client: Client, bucket: string): Promise<string> {
  const rule = `objects under incoming/ of bucket ${bucket} expire after ${INCOMING_DAYS} days`;
  const without = 'housekeeping alone removes what is never finalized';
  try {
    const rules = await rulesOf(client, bucket);
    if (rules.includes(RULE)) return `${rule}, as set before`;
    // A lifecycle is only ever replaced whole: another's rules would be lost.
    if (rules.length > 0)
      return `bucket ${bucket} has lifecycle rules of its own, left as they are: ${without}`;
    await client.setBucketLifecycle(bucket, LIFECYCLE);
    // Some that know no lifecycle take the request for another.
    if ((await rulesOf(client, bucket)).includes(RULE)) return rule;
    return `the store kept no lifecycle rule for bucket ${bucket}: ${without}`;
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return `the store took no lifecycle rule for bucket ${bucket} (${codeOf(error)}): ${without}`;
  }
}

async function rulesOf(client: Client, bucket: string): Promise<string[]> {
  try {
    const lifecycle = await client.getBucketLifecycle(bucket);
    // One rule alone is given as itself, not as a list.
    return [lifecycle?.Rule ?? []].flat().map(({ ID }) => ID);
  } catch (error) {
    if (codeOf(error) === 'NoSuchLifecycleConfiguration') return [];
    throw error;
  }
}
