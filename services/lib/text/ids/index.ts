import { randomInt } from 'node:crypto';
import { v7, validate } from 'uuid';

declare const brand: unique symbol;
/** A string that was validated as the type in its name. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };

export type AccountId = Brand<'AccountId'>;
export type ApplicationId = Brand<'ApplicationId'>;
export type CredentialId = Brand<'CredentialId'>;
export type DocumentId = Brand<'DocumentId'>;
export type EndpointId = Brand<'EndpointId'>;
export type EventId = Brand<'EventId'>;
export type LedgerEntryId = Brand<'LedgerEntryId'>;
export type SubmissionId = Brand<'SubmissionId'>;

/** How far the clock may step back before ids follow it. */
const STEP_MS = 1_000;
/** The ids of one millisecond are numbered from a random start in the lower half of 32 bits. */
const FIRST_SEQS = 2 ** 31;
const last = { msecs: 0, seq: 0 };

/**
 * Returns a new UUIDv7, which sorts by creation time. Ids continue from the last one if the clock steps back by less
 * than a second; beyond that they follow it, because rows are searched by the times in ids.
 */
export function newId<Id extends string>(): Id {
  const now = Date.now();
  if (now > last.msecs || now < last.msecs - STEP_MS) {
    last.msecs = now;
    last.seq = randomInt(FIRST_SEQS);
  } else last.seq += 1;
  return v7(last) as Id;
}

const MAX_MS = 2 ** 48 - 1;

/** Returns the lowest UUIDv7 of a time, in milliseconds since 1970. Every id created before it sorts before it. */
export function firstIdAt<Id extends string>(ms: number): Id {
  const hex = Math.min(Math.max(0, ms), MAX_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000` as Id;
}

/** Returns whether `text` is a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return validate(text);
}

const FORM_OF_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether `text` looks like a UUID of any version, as ids of other systems may. */
export function hasFormOfUuid(text: string): boolean {
  return FORM_OF_UUID.test(text);
}

/** Returns the id in lower case, or undefined if `text` is not a UUID. */
export function parseId<Id extends string>(text: string): Id | undefined {
  return validate(text) ? (text.toLowerCase() as Id) : undefined;
}
