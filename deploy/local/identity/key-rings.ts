import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateJson } from '../state/private-file.ts';

const KEY_BYTES = 32;

export const keyRingFile = (folder: string, service: string) => join(folder, `${service}.json`);

/** Creates a key ring for each service that has none. */
export function makeKeyRings(folder: string, services: readonly string[]): void {
  for (const service of services) {
    const path = keyRingFile(folder, service);
    if (existsSync(path)) continue;
    writePrivateJson(path, newRing());
  }
}

type Keys = Record<string, string>;

export const newRing = (): { primary: string; keys: Keys; primaryDigestKey: string; digestKeys: Keys } => ({
  ...{ primary: 'k1', keys: { k1: newKey() } },
  ...{ primaryDigestKey: 'd1', digestKeys: { d1: newKey() } },
});

export const newKey = () => randomBytes(KEY_BYTES).toString('base64');
