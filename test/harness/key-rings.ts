import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everythingReady, restarted, stop } from './processes.ts';
import { readStack, stackFile } from './stack.ts';

/** The services that keep something under their keys, with the processes that read each ring. */
export const RINGS = {
  submission: ['submission'],
  webhook: ['webhook'],
  document: ['document', 'scanner'],
} as const;

export type ServiceWithKeys = keyof typeof RINGS;
const SERVICES = Object.keys(RINGS) as ServiceWithKeys[];

interface KeyRingFile {
  readonly primary: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly primaryDigestKey: string;
  readonly digestKeys: Readonly<Record<string, string>>;
}

/** What an operator writes into a ring at a step of the runbook. */
export const steps = {
  /** A new key of each kind, which nothing is written under yet. */
  add: (ring: KeyRingFile): KeyRingFile => ({
    ...ring,
    keys: { ...ring.keys, [after(ring.primary)]: newKey() },
    digestKeys: { ...ring.digestKeys, [after(ring.primaryDigestKey)]: newKey() },
  }),
  /** The new keys take over. */
  switch: (ring: KeyRingFile): KeyRingFile => ({
    ...ring,
    primary: after(ring.primary),
    primaryDigestKey: after(ring.primaryDigestKey),
  }),
  /** The old ones go. */
  remove: ({ primary, keys, primaryDigestKey, digestKeys }: KeyRingFile): KeyRingFile => ({
    primary,
    keys: { [primary]: keys[primary] ?? '' },
    primaryDigestKey,
    digestKeys: { [primaryDigestKey]: digestKeys[primaryDigestKey] ?? '' },
  }),
};

const newKey = (): string => randomBytes(32).toString('base64');
/** `k2` for `k1`. */
const after = (id: string): string => `${id.charAt(0)}${Number(id.slice(1)) + 1}`;

const ringPath = (service: ServiceWithKeys) => join(dirname(stackFile()), 'key-rings', `${service}.json`);

/** Takes a step with the ring of every service, and restarts what reads it, one process after the other. */
export async function everyRing(step: (ring: KeyRingFile) => KeyRingFile): Promise<void> {
  for (const service of SERVICES) {
    const path = ringPath(service);
    writeFileSync(path, JSON.stringify(step(JSON.parse(readFileSync(path, 'utf8')) as KeyRingFile)));
    for (const name of RINGS[service]) {
      const { pid } = await stop(name);
      await restarted(name, pid);
      await everythingReady();
    }
  }
}

/** What the rotate-keys command of a service said at its end. */
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

/** Runs the command of one service to its end, as an operator does: with the role that migrates its database. */
export async function rotateKeys(service: ServiceWithKeys, ...flags: string[]): Promise<Rotated> {
  const command = fileURLToPath(new URL(`../../services/${service}/src/rotate-keys.ts`, import.meta.url));
  const { databases, tls } = readStack();
  const env = {
    PATH: process.env.PATH,
    SSS_DATABASE_URL: databases[service],
    SSS_KEY_RING_FILE: ringPath(service),
    ...(tls ? {} : { SSS_DEPLOYMENT: 'local' }),
    // Objects on disk have keys that the ring seals.
    SSS_STORE: 'disk',
    SSS_STORE_DIR: join(dirname(stackFile()), 'documents'),
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [command, '--json', ...flags], { env }, (error, out, err) => {
      const last = out.trim().split('\n').at(-1) ?? '';
      const code = typeof error?.code === 'number' ? error.code : 0;
      if (last.startsWith('{"service"')) resolve({ ...(JSON.parse(last) as Omit<Rotated, 'code'>), code });
      else reject(new Error(`rotate-keys of ${service} said nothing: ${out} ${err}`));
    });
  });
}

/** The same for every service at once. */
export const rotateAll = async (...flags: string[]): Promise<Record<ServiceWithKeys, Rotated>> => {
  const all = await Promise.all(
    SERVICES.map(async (name) => [name, await rotateKeys(name, ...flags)] as const),
  );
  return Object.fromEntries(all) as Record<ServiceWithKeys, Rotated>;
};
