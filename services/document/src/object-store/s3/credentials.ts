import type { Clock } from '@supplier/lib/text/time';
import type { S3Credentials, S3StoreConfig } from '../store-config.ts';
import type { S3CredentialSource } from './role-credentials.ts';
import { roleCredentials } from './role-credentials.ts';

export interface S3CredentialSources {
  readonly quarantine: S3CredentialSource;
  readonly clean: S3CredentialSource;
}

/** Returns the sources for two key pairs, or for one role for both buckets, which is requested on first use. */
export function credentialSources(
  { access }: Pick<S3StoreConfig, 'access'>,
  clock: Clock,
): S3CredentialSources {
  if (access.kind === 'keys')
    return { quarantine: unchanging(access.quarantine), clean: unchanging(access.clean) };
  const role = roleCredentials(access, clock);
  return { quarantine: role, clean: role };
}

const unchanging = (credentials: S3Credentials): S3CredentialSource => ({
  goodUntil: async () => credentials,
});
