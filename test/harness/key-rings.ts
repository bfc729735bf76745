import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everythingReady, restarted, stop } from './processes.ts';
import { readStack, stackFile } from './stack.ts';

/** The services whose databases contain sealed values. */
const SERVICES = ['submission', 'webhook', 'document'] as const;
export type ServiceWithKeys = (typeof SERVICES)[number];

interface KeyRingFile {
  readonly primary: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly primaryDigestKey: string;
  readonly digestKeys: Readonly<Record<string, string>>;
}

/** The changes that an operator makes to a ring at each step of the runbook. */
export const steps = {
  /** Adds a new key of each kind, not yet used for writing. */
  add: (ring: KeyRingFile): KeyRingFile => ({
    ...ring,
    keys: { ...ring.keys, [after(ring.primary)]: newKey() },
    digestKeys: { ...ring.digestKeys, [after(ring.primaryDigestKey)]: newKey() },
  }),
  /** Makes the new keys primary. */
  switch: (ring: KeyRingFile): KeyRingFile => ({
    ...ring,
    primary: after(ring.primary),
    primaryDigestKey: after(ring.primaryDigestKey),
  }),
  /** Removes the old keys. */
  remove: ({ primary, keys, primaryDigestKey, digestKeys }: KeyRingFile): KeyRingFile => ({
    primary,
    keys: { [primary]: keys[primary] ?? '' },
    primaryDigestKey,
    digestKeys: { [primaryDigestKey]: digestKeys[primaryDigestKey] ?? '' },
  }),
};

const newKey = (): string => randomBytes(32).toString('base64');
/** Returns the next key id, such as `k2` for `k1`. */
const after = (id: string): string => `${id.charAt(0)}${Number(id.slice(1)) + 1}`;

const ringPath = (service: ServiceWithKeys) => join(dirname(stackFile()), 'key-rings', `${service}.json`);

/** Applies a step to every service's ring and restarts that service, one after the other. */
export async function everyRing(step: (ring: KeyRingFile) => KeyRingFile): Promise<void> {
  for (const service of SERVICES) {
    const path = ringPath(service);
    writeFileSync(path, JSON.stringify(step(JSON.parse(readFileSync(path, 'utf8')) as KeyRingFile)));
    const { pid } = await stop(service);
    await restarted(service, pid);
    await everythingReady();
  }
}

/** The result of a service's rotate-keys command. */
export interface Rotated {
  readonly code: number;
  readonly rewritten: number;
  readonly failed: number;
  readonly keys: readonly {
    readonly purpose: 'seal' | 'digest';
    readonly primary: boolean;
    readonly values: number;
  }[];
}

/** Runs one service's command to completion, as an operator does: with the role that migrates its database. */
export async function rotateKeys(service: ServiceWithKeys, ...flags: string[]): Promise<Rotated> {
  const command = fileURLToPath(new URL(`../../services/${service}/src/rotate-keys.ts`, import.meta.url));
  const { databases, tls } = readStack();
  const env = {
    PATH: process.env.PATH,
    SSS_DATABASE_URL: databases[service],
    SSS_KEY_RING_FILE: ringPath(service),
    ...(tls ? {} : { SSS_DEPLOYMENT: 'local' }),
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [command, '--json', ...flags], { env }, (error, out, err) => {
      const last = out.trim().split('\n').at(-1) ?? '';
      const code = typeof error?.code === 'number' ? error.code : 0;
      if (last.startsWith('{"service"')) resolve({ ...(JSON.parse(last) as Omit<Rotated, 'code'>), code });
      else reject(new Error(`rotate-keys of ${service} printed no result: ${out} ${err}`));
    });
  });
}

/** Runs the command of every service concurrently. */
export const rotateAll = async (...flags: string[]): Promise<Record<ServiceWithKeys, Rotated>> => {
  const all = await Promise.all(
    SERVICES.map(async (name) => [name, await rotateKeys(name, ...flags)] as const),
  );
  return Object.fromEntries(all) as Record<ServiceWithKeys, Rotated>;
};
