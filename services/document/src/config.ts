import { ConfigError, httpUrl, readEnvironment, setting, text, whole } from '@supplier/lib/runtime/config';
import { serviceConfig, serviceVariables } from '@supplier/lib/runtime/service-runtime';
import { z } from 'zod';
import { CONTENT_TYPES, contentTypeOf } from './model/content-types.ts';
import {
  documentSizeVariables,
  longestLinkMinutes,
  storeConfig,
  storeVariables,
  uploadListenerConfig,
  uploadListenerVariables,
} from './object-store/store-config.ts';

export type DocumentConfig = ReturnType<typeof readConfig>;

const contentTypeList = () =>
  text()
    .transform((list) => list.split(',').map((item) => contentTypeOf(item.trim())))
    .transform((types, context) => {
      const known = types.filter((type) => type !== undefined);
      if (known.length === types.length) return known;
      context.addIssue(`is not a list of ${CONTENT_TYPES.join(', ')}`);
      return z.NEVER;
    });

export const variables = {
  ...serviceVariables,
  ...storeVariables,
  ...uploadListenerVariables,
  SSS_SUBMISSION_URL: setting(httpUrl(), 'the submission service'),
  ...documentSizeVariables,
  SSS_DOCUMENT_CONTENT_TYPES: setting(
    contentTypeList().default([...CONTENT_TYPES]),
    'accepted types, separated by commas',
  ),
  SSS_DOCUMENTS_PER_REFERENCE: setting(whole(1, 1_000).default(20), 'documents for each reference'),
  SSS_ACCOUNT_DOCUMENT_BYTES: setting(
    whole(1, 999_999_999_999_999).default(53_687_091_200),
    'bytes of all documents of an account',
  ),
  SSS_UPLOAD_MINUTES: setting(whole(1, 1_440).default(15), 'minutes that an upload URL works'),
  SSS_UNFINALIZED_HOURS: setting(whole(1, 720).default(24), 'hours before an unfinalized upload is deleted'),
  SSS_DOCUMENT_RETENTION_DAYS: setting(
    whole(1, 36_500).default(2_190),
    'days that documents of accepted submissions are kept',
  ),
  SSS_UNACCEPTED_DOCUMENT_DAYS: setting(whole(1, 36_500).default(365), 'days that other documents are kept'),
  SSS_REFUSED_DOCUMENT_DAYS: setting(
    whole(1, 36_500).default(30),
    'days that infected and failed documents are kept',
  ),
};

/**
 * Reads the configuration of the process. Throws a ConfigError that names every missing, invalid or unknown variable.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const values = readEnvironment(variables, env);
  const store = storeConfig(values);
  if (values.SSS_UPLOAD_MINUTES > longestLinkMinutes(store))
    throw new ConfigError(
      `bad configuration: SSS_UPLOAD_MINUTES must be at most ${longestLinkMinutes(store)}, the lifetime of a link signed by a role`,
    );
  return {
    ...serviceConfig(values),
    submissionUrl: values.SSS_SUBMISSION_URL,
    store,
    isLocal: values.SSS_DEPLOYMENT === 'local',
    uploadListener: uploadListenerConfig(values),
    limits: {
      maxBytes: values.SSS_MAX_DOCUMENT_BYTES,
      contentTypes: values.SSS_DOCUMENT_CONTENT_TYPES,
      perReference: values.SSS_DOCUMENTS_PER_REFERENCE,
      accountBytes: values.SSS_ACCOUNT_DOCUMENT_BYTES,
      uploadMinutes: values.SSS_UPLOAD_MINUTES,
      unfinalizedHours: values.SSS_UNFINALIZED_HOURS,
      retentionDays: values.SSS_DOCUMENT_RETENTION_DAYS,
      unacceptedDays: values.SSS_UNACCEPTED_DOCUMENT_DAYS,
      refusedDays: values.SSS_REFUSED_DOCUMENT_DAYS,
    },
  };
}
