import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AUTHENTICATED } from '../../../services/lib/events/event-bus/subscriptions.ts';
import { writePrivateJson } from '../state/private-file.ts';

const KEY_BYTES = 32;

export const keyRingFile = (folder: string, service: string) => join(folder, `${service}.json`);

/** Services that accept only authenticated events: each shares a ring with the submission service. */
export const EVENT_CONSUMERS = AUTHENTICATED.map(({ consumer }) => consumer);

export const eventKeysFolder = (keyRings: string) => join(keyRings, 'events');

/** Creates a key ring for each service that has none. */
export function makeKeyRings(folder: string, services: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
