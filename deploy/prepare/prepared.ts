import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { NATS_USERS } from '../../services/lib/events/event-bus/permissions.ts';
import { newKey, newRing } from '../local/identity/key-rings.ts';
import { PROGRAM } from './processes.ts';

/** The key rings that the submission service shares with each consumer of its events. */
export const EVENT_RINGS = ['events-billing', 'events-webhook'] as const;
const SERVICES = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
/** Services that may have a key ring, and rings that two of them share. */
export const RINGS = [...SERVICES, ...EVENT_RINGS, 'console'] as const;
export type Ring = (typeof RINGS)[number];

const keys = z.record(z.string(), z.string());
const ring = z.strictObject({
  primary: z.string(),
  keys,
  primaryDigestKey: z.string(),
  digestKeys: keys,
});
const pem = z.strictObject({ certificate: z.string(), key: z.string() });
const s3 = z.strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });
export type S3Credentials = z.infer<typeof s3>;

/** All secrets of an installation. */
export const preparedSchema = z.strictObject({
  format: z.literal(1),
  release: z.string(),
  namespace: z.string(),
  /** The ClusterSecretStore, with the External Secrets operator. */
  store: z.string().optional(),
  /** By role. The salt is kept so that the same password gives the same verifier. */
  roles: z.record(z.string(), z.strictObject({ password: z.string(), salt: z.string() })),
  /** Passwords by user. */
  nats: z.record(z.string(), z.string()),
  keyRings: z.partialRecord(z.enum(RINGS), ring),
  /** Keys that were removed from rings: older backups need them. */
  retiredKeys: z.partialRecord(z.enum(RINGS), z.strictObject({ keys, digestKeys: keys })),
  /** Absent if cert-manager issues certificates. */
  certificates: z.strictObject({ authority: pem, issued: z.record(z.string(), pem) }).optional(),
  /** Whether the replicas of the console share sessions. */
  sharedSessions: z.literal(true).optional(),
  s3: z.strictObject({ quarantine: s3.optional(), clean: s3.optional() }),
  /** CAs of the stores as PEM, unless they are well known. */
  authorities: z.strictObject({ postgresql: z.string().optional(), nats: z.string().optional() }),
});
export type Prepared = z.infer<typeof preparedSchema>;

type Parts = Pick<Prepared, 'sharedSessions'>;
/** The databases, each with an owner and a runtime role. */
export const databasesOf = ({ sharedSessions }: Parts): readonly string[] =>
  sharedSessions ? [...SERVICES, 'limits', 'sessions'] : [...SERVICES, 'limits'];
/** The key rings that an installation has. */
export const ringsOf = ({ sharedSessions }: Parts): readonly Ring[] =>
  sharedSessions ? RINGS : [...SERVICES, ...EVENT_RINGS];
export const rolesOf = (database: string) => ({ owner: database, runtime: `${database}_runtime` });

const newPassword = () => randomBytes(24).toString('hex');
const newRole = () => ({ password: newPassword(), salt: randomBytes(16).toString('base64') });

/** Generates the missing values. */
export function completed(from: Partial<Prepared> & Pick<Prepared, 'release' | 'namespace'>): Prepared {
  const each = <Value>(names: readonly string[], kept: Readonly<Record<string, Value>>, make: () => Value) =>
    Object.fromEntries(names.map((name) => [name, kept[name] ?? make()]));
  const roles = databasesOf(from).flatMap((database) => Object.values(rolesOf(database)));
  return {
    format: 1,
    retiredKeys: {},
    s3: {},
    authorities: {},
    ...from,
    roles: each(roles, from.roles ?? {}, newRole),
    nats: each(NATS_USERS, from.nats ?? {}, newPassword),
    keyRings: each(ringsOf(from), from.keyRings ?? {}, newRing),
  };
}

export const withNewRoles = (prepared: Prepared): Prepared => completed({ ...prepared, roles: {} });
export const withNewNatsUsers = (prepared: Prepared): Prepared => completed({ ...prepared, nats: {} });

/** Steps of a rotation. Every replica must have the ring of one step before the next. */
export const RING_STEPS = ['add', 'switch', 'remove'] as const;
export type RingStep = (typeof RING_STEPS)[number];

/** Takes that step in the key rings of `services`, and keeps removed keys aside. Throws if it isn't the next step. */
export function withRingStep(prepared: Prepared, step: RingStep, services: readonly Ring[]): Prepared {
  const { keyRings, retiredKeys } = structuredClone(prepared);
  for (const service of services) {
    const old = keyRings[service];
    if (!old) throw new Error(`there is no key ring for ${service}: create it with ${PROGRAM} write`);
    const sealing = stepped(service, step, { primary: old.primary, keys: old.keys });
    const digests = stepped(service, step, { primary: old.primaryDigestKey, keys: old.digestKeys });
    keyRings[service] = {
      ...{ primary: sealing.primary, keys: sealing.keys },
      ...{ primaryDigestKey: digests.primary, digestKeys: digests.keys },
    };
    const before = retiredKeys[service];
    retiredKeys[service] = {
      keys: { ...before?.keys, ...sealing.removed },
      digestKeys: { ...before?.digestKeys, ...digests.removed },
    };
  }
  return { ...prepared, keyRings, retiredKeys };
}

interface Keys {
  readonly primary: string;
  readonly keys: Readonly<Record<string, string>>;
}

function stepped(service: string, step: RingStep, { primary, keys }: Keys): Keys & { removed: Keys['keys'] } {
  const newest = newestOf(Object.keys(keys));
  switch (step) {
    case 'add': {
      if (newest !== primary)
        throw new Error(
          `${service} already has ${newest}, which is not its primary key yet: next, run --step switch`,
        );
      return { primary, keys: { ...keys, [followingOf(newest)]: newKey() }, removed: {} };
    }
    case 'switch': {
      if (newest === primary)
        throw new Error(`${service} has no key after ${primary}: first, run --step add`);
      return { primary: newest, keys, removed: {} };
    }
    case 'remove': {
      if (newest !== primary)
        throw new Error(`${service} does not use ${newest} yet: next, run --step switch`);
      const entries = Object.entries(keys);
      return {
        primary,
        keys: Object.fromEntries(entries.filter(([id]) => id === primary)),
        removed: Object.fromEntries(entries.filter(([id]) => id !== primary)),
      };
    }
  }
}

const numberIn = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? 0);
const newestOf = (ids: readonly string[]) =>
  ids.reduce((newest, id) => (numberIn(id) > numberIn(newest) ? id : newest));
const followingOf = (id: string) => `${id.replace(/\d+$/, '')}${numberIn(id) + 1}`;
