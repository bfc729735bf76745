import {
  ConfigError,
  fileText,
  httpUrl,
  port,
  reachedUrl,
  type Settings,
  setting,
  text,
  whole,
} from '@supplier/lib/runtime/config';
import { z } from 'zod';

const MAX_CREDENTIALS_FILE = 4096;

export type StoreConfig = LocalStoreConfig | S3StoreConfig;

/** Unencrypted files in a directory that all processes of the document service share. Never in production. */
export interface LocalStoreConfig {
  readonly kind: 'local';
  readonly directory: string;
}

/** Objects in two buckets of any S3-compatible store. */
export interface S3StoreConfig {
  readonly kind: 's3';
  readonly endpoint: string;
  /** The address at which suppliers and staff reach the store: the prefix of presigned URLs. */
  readonly publicUrl: string;
  readonly region: string;
  readonly quarantineBucket: string;
  readonly cleanBucket: string;
  readonly access: S3Access;
}

/** Separate keys for each bucket, or a role of this process. */
export type S3Access =
  | { readonly kind: 'keys'; readonly quarantine: S3Credentials; readonly clean: S3Credentials }
  | S3RoleConfig;

/** A role that the security token service grants to the bearer of a cluster token. */
export interface S3RoleConfig {
  readonly kind: 'role';
  readonly role: string;
  /** Contains the token, and is replaced before the token expires. */
  readonly tokenFile: string;
  readonly stsUrl: string;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Set for a role, whose credentials expire. */
  readonly sessionToken?: string;
}

/** Where the local store serves uploads and downloads, and the prefix of its signed URLs. */
export interface UploadListenerConfig {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
}

const bucket = () => z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not a bucket name');

const credentials = z.strictObject({
  accessKeyId: z.string().min(1).max(256),
  secretAccessKey: z.string().min(1).max(256),
});

const credentialsFile = () =>
  fileText().transform((content, context): S3Credentials => {
    try {
      return credentials.parse(JSON.parse(content.slice(0, MAX_CREDENTIALS_FILE)));
    } catch {
      context.addIssue('must name a file with {"accessKeyId", "secretAccessKey"}');
      return z.NEVER;
    }
  });

/** Maximum size of a document: the most that is accepted, and that the scanner must be able to scan. */
export const documentSizeVariables = {
  SSS_MAX_DOCUMENT_BYTES: setting(
    whole(1, 5_368_709_120).default(26_214_400),
    'bytes of a document; clamd must scan all of them',
  ),
};

/** The variables of every process that uses stored objects. */
export const storeVariables = {
  SSS_STORE: setting(
    z.enum(['s3', 'local'], 'is neither s3 nor local'),
    '`s3`; `local` in local stacks and trial installs only',
  ),
  SSS_STORE_DIR: setting(text().optional(), 'local: folder shared by document service and scanner'),
  SSS_S3_ENDPOINT: setting(httpUrl().optional(), 'S3: endpoint'),
  SSS_S3_PUBLIC_URL: setting(httpUrl().optional(), 'S3: public URL without a path; unset: the endpoint'),
  SSS_S3_REGION: setting(text().optional(), 'S3: region'),
  SSS_S3_QUARANTINE_BUCKET: setting(bucket().optional(), 'S3: bucket of unscanned files'),
  SSS_S3_CLEAN_BUCKET: setting(bucket().optional(), 'S3: bucket of clean files'),
  SSS_S3_QUARANTINE_CREDENTIALS_FILE: setting(
    credentialsFile().optional(),
    'S3: `{"accessKeyId", "secretAccessKey"}` for the quarantine bucket',
  ),
  SSS_S3_CLEAN_CREDENTIALS_FILE: setting(credentialsFile().optional(), 'S3: the same for the clean bucket'),
  SSS_S3_ROLE: setting(
    z
      .string()
      .regex(/^arn:[\w+=,.@:/-]{1,2000}$/, 'is no ARN of a role')
      .optional(),
    'S3: role for both buckets, instead of credentials',
  ),
  SSS_S3_ROLE_TOKEN_FILE: setting(text().optional(), 'S3: cluster token for the role'),
  SSS_S3_STS_URL: setting(
    httpUrl().optional(),
    'S3: security token service; unset: that of AWS in the region',
  ),
};

/** Additional variables of the process that issues upload and download URLs. */
export const uploadListenerVariables = {
  SSS_UPLOAD_HOST: setting(text().optional(), 'local: listening address of uploads'),
  SSS_UPLOAD_PORT: setting(port().optional(), 'local: port of uploads'),
  SSS_UPLOAD_URL: setting(reachedUrl().optional(), 'local: public URL of uploads'),
};

type StoreVariables = Settings<typeof storeVariables>;
type UploadListenerVariables = z.infer<z.ZodObject<typeof uploadListenerVariables>>;

/**
 * Returns the store that the variables describe. Throws a ConfigError for the local store outside a local stack or a
 * trial install, and one that names a variable that the chosen kind lacks, or that belongs to the other kind.
 */
export function storeConfig(values: StoreVariables): StoreConfig {
  if (values.SSS_STORE === 'local') {
    if (values.SSS_DEPLOYMENT === undefined)
      throw new ConfigError(
        'bad configuration: SSS_STORE is local, which keeps documents unencrypted on one volume, for local stacks and trial installs only. Set SSS_STORE=s3 and the SSS_S3_ settings of your buckets',
      );
    refuseForeign(values, /^SSS_S3_/);
    return { kind: 'local', directory: required(values, 'SSS_STORE_DIR') };
  }
  refuseForeign(values, /^SSS_STORE_DIR$/);
  const endpoint = required(values, 'SSS_S3_ENDPOINT');
  const config: S3StoreConfig = {
    kind: 's3',
    endpoint,
    publicUrl: values.SSS_S3_PUBLIC_URL ?? endpoint,
    region: required(values, 'SSS_S3_REGION'),
    quarantineBucket: required(values, 'SSS_S3_QUARANTINE_BUCKET'),
    cleanBucket: required(values, 'SSS_S3_CLEAN_BUCKET'),
    access: accessOf(values),
  };
  if (config.quarantineBucket === config.cleanBucket)
    throw new ConfigError('bad configuration: SSS_S3_CLEAN_BUCKET is the quarantine bucket');
  for (const name of ['SSS_S3_ENDPOINT', 'SSS_S3_PUBLIC_URL'] as const) {
    const url = values[name];
    // Keys follow the bucket, and the signature covers the whole path: a proxy that adds a prefix would break it.
    if (url !== undefined && new URL(url).pathname !== '/')
      throw new ConfigError(`bad configuration: ${name} has a path`);
  }
  return config;
}

/**
 * Returns the maximum lifetime of the store's links, in minutes: a link must not outlive the credentials of the role
 * that signs it.
 */
export const longestLinkMinutes = (store: StoreConfig): number =>
  store.kind === 's3' && store.access.kind === 'role' ? 30 : 1_440;

function accessOf(values: StoreVariables): S3Access {
  if (values.SSS_S3_ROLE === undefined) {
    refuseForeign(values, /^SSS_S3_(ROLE_TOKEN_FILE|STS_URL)$/, 'SSS_S3_ROLE is not');
    return {
      kind: 'keys',
      quarantine: required(values, 'SSS_S3_QUARANTINE_CREDENTIALS_FILE'),
      clean: required(values, 'SSS_S3_CLEAN_CREDENTIALS_FILE'),
    };
  }
  refuseForeign(values, /^SSS_S3_\w+_CREDENTIALS_FILE$/, 'SSS_S3_ROLE is, too');
  return {
    kind: 'role',
    role: values.SSS_S3_ROLE,
    tokenFile: required(values, 'SSS_S3_ROLE_TOKEN_FILE'),
    stsUrl: values.SSS_S3_STS_URL ?? `https://sts.${required(values, 'SSS_S3_REGION')}.amazonaws.com`,
  };
}

/**
 * Returns where the local store serves uploads; undefined for S3, which serves them directly. Throws a ConfigError that
 * names a variable that is missing, or that is set although S3 does not use it.
 */
export function uploadListenerConfig(
  values: StoreVariables & UploadListenerVariables,
): UploadListenerConfig | undefined {
  if (values.SSS_STORE === 's3') {
    refuseForeign(values, /^SSS_UPLOAD_(HOST|PORT|URL)$/);
    return undefined;
  }
  return {
    host: values.SSS_UPLOAD_HOST ?? '127.0.0.1',
    port: required(values, 'SSS_UPLOAD_PORT'),
    publicUrl: required(values, 'SSS_UPLOAD_URL'),
  };
}

function required<Values extends object, Name extends keyof Values & string>(
  values: Values,
  name: Name,
): NonNullable<Values[Name]> {
  const value = values[name];
  if (value === undefined || value === null) throw new ConfigError(`bad configuration: ${name} is missing`);
  return value;
}

function refuseForeign(
  values: StoreVariables,
  foreign: RegExp,
  although = `SSS_STORE is ${values.SSS_STORE}`,
): void {
  const set = Object.entries(values).filter(([name, value]) => foreign.test(name) && value !== undefined);
  const names = set.map(([name]) => name).join(', ');
  if (names) throw new ConfigError(`bad configuration: ${names} set, but ${although}`);
}
