import { readEnvironment } from '@supplier/lib/runtime/config';
import { isTested } from '@supplier/lib/testing';
import { type S3StoreConfig, storeConfig, storeVariables } from '../src/object-store/store-config.ts';
import { startSwift, swiftIsMissing } from './swift/start-swift.ts';

/** Starts an S3 server for one test file: the one in TEST_S3_* (named like SSS_S3_*), or a new Swift. */
export async function openTestS3(): Promise<{ config: S3StoreConfig; stop(): Promise<void> }> {
  if (process.env.TEST_S3_ENDPOINT === undefined) return startSwift();
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('TEST_S3_'));
  const renamed = given.map(([name, value]) => [name.replace('TEST_', 'SSS_'), value]);
  const values = readEnvironment(storeVariables, {
    SSS_DEPLOYMENT: 'local',
    SSS_STORE: 's3',
    ...Object.fromEntries(renamed),
  });
  const config = storeConfig(values);
  if (config.kind !== 's3') throw new Error('TEST_S3_* do not describe an S3 store');
  return { config, stop: async () => {} };
}

/**
 * Declares a suite that needs a real S3 server. Without one it is skipped with a warning; with CI=true it runs and
 * fails, so that no pipeline passes without it.
 */
export function describeWithS3(name: string, suite: () => void): void {
  const isThere = process.env.TEST_S3_ENDPOINT !== undefined || swiftIsMissing() === undefined;
  const runs = isTested('an S3 server', isThere, ['python3-swift', 'python3-pastescript']);
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}
