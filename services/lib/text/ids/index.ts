import { randomInt } from 'node:crypto';
import { v7, validate } from 'uuid';

declare const brand: unique symbol;
/** A text that has been checked to be what its name says. */
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
/** Ids of one millisecond are numbered from somewhere in the lower half of 32 bits. */
const FIRST_SEQS = 2 ** 31;
const last = { msecs: 0, seq: 0 };

/**
 * A new UUIDv7: ids sort by the time they were made, which keeps index inserts together. Where the clock steps back by
 * less than a second they go on from the last one; further, they follow it, since rows are looked for by the times in
 * their ids.
 */
export function newId<Id extends string>(): Id {
  const now = Date.now();
  if (now > last.msecs || now < last.msecs - STEP_MS) {
    last.msecs = now;
    last.seq = randomInt(FIRST_SEQS);
  } else last.seq += 1;
  return v7(last) as Id;
}

/** Whether `text` is a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return validate(text);
}

const FORM_OF_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether `text` looks like a UUID, also one of no version that is known: so much is asked of the ids that others make up. */
export function hasFormOfUuid(text: string): boolean {
  return FORM_OF_UUID.test(text);
}

/** The id in lower case, or undefined when `text` is not a UUID. */
export function parseId<Id extends string>(text: string): Id | undefined {
  return validate(text) ? (text.toLowerCase() as Id) : undefined;
}
