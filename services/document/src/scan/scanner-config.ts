import type { NetConnectOpts } from 'node:net';
import { flag, loosened, readEnvironment, setting, text, whole } from '@supplier/lib/runtime/config';
import { processConfig, processVariables } from '@supplier/lib/runtime/service-runtime';
import { z } from 'zod';
import { documentSizeVariables, storeConfig, storeVariables } from '../object-store/store-config.ts';

export type ScannerConfig = ReturnType<typeof readScannerConfig>;

const clamd = () =>
  text().transform((value, context) => {
    const address = clamdAddress(value);
    if (address) return address;
    context.addIssue('is neither tcp://host:port nor unix:///path');
    return z.NEVER;
  });

/**
 * Parses `tcp://host:port` or `unix:///path`; undefined for anything else, and for a URL with a user, a query or a
 * fragment.
 */
function clamdAddress(text: string): NetConnectOpts | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) return undefined;
  if (protocol === 'unix:') {
    const path = decodeURIComponent(pathname);
    return hostname === '' && !port && path.length > 1 ? { path } : undefined;
  }
  if (protocol !== 'tcp:' || hostname === '' || port === '' || (pathname !== '' && pathname !== '/'))
    return undefined;
  // URLs put IPv6 addresses in brackets; sockets take them without.
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

export const variables = {
  ...processVariables,
  ...storeVariables,
  ...documentSizeVariables,
  SSS_CLAMD: setting(clamd(), 'clamd: `tcp://host:port` or `unix:///path`'),
  SSS_SIGNATURE_MAX_AGE_DAYS: setting(whole(1, 365).default(7), 'maximum age of signatures in days'),
  SSS_SCAN_WITH_ANY_SIGNATURES: setting(
    loosened(flag().default(false), (any) =>
      any ? 'accepts documents scanned with old or unofficial signatures' : undefined,
    ),
    'scan sandbox documents with old or unofficial signatures; local stack only',
  ),
  SSS_CONTENT_SOCKET: setting(
    text().optional(),
    'Unix socket of the container that checks content; unset: processes of the scanner do',
  ),
  SSS_REFUSE_PDF_ACTIONS: setting(
    flag().default(true),
    'refuse PDFs that do more than show pages and follow links',
  ),
};

/**
 * Reads the configuration of the scanner process. Throws a ConfigError that names every missing, invalid or unknown
 * variable.
 */
export function readScannerConfig(env: NodeJS.ProcessEnv = process.env) {
  const values = readEnvironment(variables, env);
  return {
    ...processConfig(values),
    store: storeConfig(values),
    isLocal: values.SSS_DEPLOYMENT === 'local',
    clamd: values.SSS_CLAMD,
    maxDocumentBytes: values.SSS_MAX_DOCUMENT_BYTES,
    signatures: {
      maxAgeDays: values.SSS_SIGNATURE_MAX_AGE_DAYS,
      anySignatures: values.SSS_SCAN_WITH_ANY_SIGNATURES,
    },
    content: { socket: values.SSS_CONTENT_SOCKET, refusePdfActions: values.SSS_REFUSE_PDF_ACTIONS },
  };
}
