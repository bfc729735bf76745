import type { S3Credentials } from '../store-config.ts';

/** Provides credentials for signing requests. */
export interface S3CredentialSource {
  /**
   * Returns credentials valid until `then`, or for the next minute. Rejects with StoreUnavailable while there are none.
   */
  goodUntil(then?: Date): Promise<S3Credentials>;
}
