import { ConfigError } from '@supplier/lib/runtime/config';
import { systemClock } from '@supplier/lib/text/time';
import type { Client } from 'minio';
import { z } from 'zod';
import { StoreUnavailable } from '../object-store.ts';
import type { S3StoreConfig } from '../store-config.ts';
import { credentialSources } from './credentials.ts';
import { openS3Client } from './s3-client.ts';
import { codeOf, onStore } from './s3-errors.ts';

/** Error codes of a store that does not support bucket encryption, or has none configured. */
const NOT_ENCRYPTED = new Set([
  'ServerSideEncryptionConfigurationNotFoundError',
  'NotImplemented',
  'MethodNotAllowed',
  'InvalidRequest',
  'NoSuchEncryptionConfiguration',
]);

const algorithm = z.object({
  ApplyServerSideEncryptionByDefault: z.object({ SSEAlgorithm: z.string().regex(/^(AES256|aws:kms)/) }),
});
const encryption = z.object({
  ServerSideEncryptionConfiguration: z.object({ Rule: z.union([algorithm, z.array(algorithm).min(1)]) }),
});

/**
 * Checks that both buckets encrypt everything stored in them, each with its own credentials. Throws a ConfigError that
 * names an unencrypted bucket, and StoreUnavailable when a bucket cannot be queried.
 */
export async function requireEncryptedBuckets(config: S3StoreConfig): Promise<void> {
  const { endpoint, region, quarantineBucket, cleanBucket } = config;
  const credentials = credentialSources(config, systemClock);
  const quarantine = openS3Client(endpoint, region, credentials.quarantine);
  const clean = openS3Client(endpoint, region, credentials.clean);
  for (const [client, bucket] of [
    [quarantine, quarantineBucket],
    [clean, cleanBucket],
  ] as const) {
    if (!(await encrypts(client, bucket)))
      throw new ConfigError(
        `bad configuration: bucket ${bucket} does not encrypt its objects (set its default encryption)`,
      );
  }
}

function encrypts(client: Client, bucket: string): Promise<boolean> {
  return onStore('read the encryption of a bucket', async () => {
    try {
      return encryption.safeParse(await client.getBucketEncryption(bucket)).success;
    } catch (error) {
      if (NOT_ENCRYPTED.has(codeOf(error))) return false;
      throw new StoreUnavailable(`read the encryption of bucket ${bucket}`, error);
    }
  });
}
