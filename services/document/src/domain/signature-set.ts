/** The signatures that a scanner works with. */
export interface SignatureSet {
  /** The newest official set; undefined where there is none, whatever else there may be. */
  readonly official: OfficialSignatures | undefined;
}

export interface OfficialSignatures {
  /** Rises with every official set. */
  readonly version: number;
  readonly publishedAt: Date;
}

/** Why signatures are not good enough to call anything clean by. */
export type Unfitness = 'no official signatures' | 'signatures too old';

const DAY_MS = 86_400_000;
const VERSION_REPLY =
  /^ClamAV [^/\s]+(?:\/(\d{1,9})\/((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}))?$/;

/**
 * Reads clamd's answer to VERSION: `ClamAV 1.4.6`, followed by `/number/date` of the official daily set where it has
 * one. The date names no zone and is taken for UTC. Undefined for anything else.
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
 * Why the signatures are unfit at `now`; undefined when they are fit. Those that claim to be from more than a day ahead
 * say nothing about their age, and are as unfit as old ones. Implements docs/contract.md, section 2.
 */
export function unfitness({ official }: SignatureSet, maxAgeDays: number, now: Date): Unfitness | undefined {
  if (!official) return 'no official signatures';
  const ageMs = now.getTime() - official.publishedAt.getTime();
  return ageMs > maxAgeDays * DAY_MS || ageMs < -DAY_MS ? 'signatures too old' : undefined;
}
