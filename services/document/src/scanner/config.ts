import type { NetConnectOpts } from 'node:net';
import { flag, readEnvironment, text, whole } from '@supplier/lib/config';
import { type ServiceConfig, serviceConfig, serviceVariables } from '@supplier/lib/service-runtime';
import { z } from 'zod';
import type { SignaturePolicy } from '../domain/scan-admission.ts';
import { type StoreConfig, storeConfig, storeVariables } from '../object-store/store-config.ts';
import { clamdAddress } from './clamd/address.ts';

export interface ScannerConfig extends ServiceConfig {
  readonly store: StoreConfig;
  /** Where clamd listens. */
  readonly clamd: NetConnectOpts;
  readonly signatures: SignaturePolicy;
}

/** The configuration of the scanner process. Throws a ConfigError that names what is missing, bad or unknown. */
export function readScannerConfig(env: NodeJS.ProcessEnv = process.env): ScannerConfig {
  const values = readEnvironment(
    {
      ...serviceVariables,
      ...storeVariables,
      SSS_CLAMD: clamd(),
      SSS_SIGNATURE_MAX_AGE_DAYS: whole(1, 365).default(7),
      SSS_SCAN_WITH_ANY_SIGNATURES: flag().default(false),
    },
    env,
  );
  return {
    ...serviceConfig(values),
    store: storeConfig(values),
    clamd: values.SSS_CLAMD,
    signatures: {
      maxAgeDays: values.SSS_SIGNATURE_MAX_AGE_DAYS,
      anySignatures: values.SSS_SCAN_WITH_ANY_SIGNATURES,
    },
  };
}

const clamd = () =>
  text().transform((value, context) => {
    const address = clamdAddress(value);
    if (address) return address;
    context.addIssue('is neither tcp://host:port nor unix:///path');
    return z.NEVER;
  });
