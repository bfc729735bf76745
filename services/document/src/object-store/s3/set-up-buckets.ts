import { type Client, S3Error } from 'minio';
import type { S3StoreConfig } from '../store-config.ts';
import { openS3Client } from './s3-client.ts';
import { codeOf, onStore } from './s3-errors.ts';

/** Uploads are finalized or expired within a day; the rule catches what the sweepers miss. */
const INCOMING_DAYS = 2;
const RULE = 'incoming-expires';
const LIFECYCLE = {
  Rule: [
    { ID: RULE, Status: 'Enabled', Filter: { Prefix: 'incoming/' }, Expiration: { Days: INCOMING_DAYS } },
  ],
};

/**
 * Makes both buckets, each with its own credentials, and a lifecycle rule that expires uploads which are never
 * finalized. Yields a sentence for each step. Leaves existing buckets and rules alone; a store without lifecycle rules
 * is reported and accepted. Throws StoreUnavailable.
 */
export async function* setUpBuckets(config: S3StoreConfig): AsyncGenerator<string> {
  const { endpoint, region, quarantineBucket, cleanBucket } = config;
  const quarantine = openS3Client(endpoint, region, config.quarantine);
  const clean = openS3Client(endpoint, region, config.clean);
  yield await onStore('create a bucket', () => setUpBucket(quarantine, quarantineBucket, region));
  yield await onStore('create a bucket', () => setUpBucket(clean, cleanBucket, region));
  yield await onStore('set a lifecycle', () => setUpLifecycle(quarantine, quarantineBucket));
}

async function setUpBucket(client: Client, bucket: string, region: string): Promise<string> {
  if (await client.bucketExists(bucket)) return `bucket ${bucket} exists`;
  try {
    await client.makeBucket(bucket, region);
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!(await client.bucketExists(bucket))) throw error;
  }
  return `bucket ${bucket} created`;
}

async function setUpLifecycle(client: Client, bucket: string): Promise<string> {
  const rule = `objects under incoming/ of bucket ${bucket} expire after ${INCOMING_DAYS} days`;
  const without = 'only the sweepers remove uploads that are never finalized';
  try {
    const rules = await rulesOf(client, bucket);
    if (rules.includes(RULE)) return `${rule} (rule exists)`;
    // A lifecycle can only be replaced as a whole: rules of others would be lost.
    if (rules.length > 0)
      return `bucket ${bucket} has other lifecycle rules, which are left alone: ${without}`;
    await client.setBucketLifecycle(bucket, LIFECYCLE);
    // Some stores without lifecycle rules accept the request and ignore it.
    if ((await rulesOf(client, bucket)).includes(RULE)) return rule;
    return `the store ignored the lifecycle rule for bucket ${bucket}: ${without}`;
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return `the store refused the lifecycle rule for bucket ${bucket} (${codeOf(error)}): ${without}`;
  }
}

async function rulesOf(client: Client, bucket: string): Promise<string[]> {
  try {
    const lifecycle = await client.getBucketLifecycle(bucket);
    // The parser returns a single rule as itself, not as a list.
    return [lifecycle?.Rule ?? []].flat().map(({ ID }) => ID);
  } catch (error) {
    if (codeOf(error) === 'NoSuchLifecycleConfiguration') return [];
    throw error;
  }
}
