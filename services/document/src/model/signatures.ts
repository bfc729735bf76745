import type { EnvironmentName } from './enum-mapping.ts';

export interface SignatureSet {
  /** The newest official set; undefined when there is none, with or without unofficial sets. */
  readonly official: OfficialSignatures | undefined;
}

export interface OfficialSignatures {
  /** Increases with every official set. */
  readonly version: number;
  readonly publishedAt: Date;
}

export type Unfitness = 'no official signatures' | 'signatures too old';

const DAY_MS = 86_400_000;
const VERSION_REPLY =
  /^ClamAV [^/\s]+(?:\/(\d{1,9})\/((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}))?$/;

/**
 * Parses clamd's reply to VERSION: `ClamAV 1.4.6`, followed by `/number/date` of the official daily set if it has one.
 * The date has no time zone and is read as UTC. Undefined for any other reply.
 */
export function readVersionReply(reply: string): SignatureSet | undefined {
  const parts = VERSION_REPLY.exec(reply);
  if (!parts) return undefined;
  const [, version, date] = parts;
  if (version === undefined || date === undefined) return { official: undefined };
  const publishedAt = new Date(`${date} UTC`);
  if (Number.isNaN(publishedAt.getTime())) return undefined;
  return { official: { version: Number(version), publishedAt } };
}

/**
 * Returns why the signatures are unfit at `now`; undefined when they are fit. A date more than a day in the future
 * cannot be trusted, so such signatures count as too old. Implements docs/contract.md, section 2.
 */
export function unfitness({ official }: SignatureSet, maxAgeDays: number, now: Date): Unfitness | undefined {
  if (!official) return 'no official signatures';
  const ageMs = now.getTime() - official.publishedAt.getTime();
  return ageMs > maxAgeDays * DAY_MS || ageMs < -DAY_MS ? 'signatures too old' : undefined;
}

/** The operator's settings for signatures. */
export interface SignaturePolicy {
  readonly maxAgeDays: number;
  /** Scans sandbox documents with any signatures. Never applies to production. */
  readonly anySignatures: boolean;
}

/** The environments whose documents may be scanned, and why others may not. */
export interface Admission {
  readonly environments: readonly EnvironmentName[];
  readonly unfit: Unfitness | undefined;
}

/**
 * Decides which environments' documents may be scanned with these signatures. Implements docs/contract.md, section 2.
 */
export function admission(signatures: SignatureSet, policy: SignaturePolicy, now: Date): Admission {
  const unfit = unfitness(signatures, policy.maxAgeDays, now);
  if (!unfit) return { environments: ['sandbox', 'production'], unfit };
  return { environments: policy.anySignatures ? ['sandbox'] : [], unfit };
}
