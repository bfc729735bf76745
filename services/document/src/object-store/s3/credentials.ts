import type { Clock } from '@supplier/lib/text/time';
import type { S3Credentials, S3StoreConfig } from '../store-config.ts';
import type { S3CredentialSource } from './credential-source.ts';
import { roleCredentials } from './role-credentials.ts';

/** Whose credentials are used for each bucket. */
export interface S3CredentialSources {
  readonly quarantine: S3CredentialSource;
  readonly clean: S3CredentialSource;
}

/** Of two pairs of keys, or of one role for both, which is asked for when it is first used. */
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
