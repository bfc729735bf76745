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
    const sealing = { primary: 'k1', keys: { k1: newKey() } };
    writePrivateJson(path, { ...sealing, primaryDigestKey: 'd1', digestKeys: { d1: newKey() } });
  }
}

const newKey = () => randomBytes(KEY_BYTES).toString('base64');
