import type { S3Credentials } from '../store-config.ts';

/** Whoever signs requests. */
export interface S3CredentialSource {
  /** Credentials that are good until then, or for the next minute. Rejects with StoreUnavailable while there are none. */
  goodUntil(then?: Date): Promise<S3Credentials>;
}
