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

/** A new UUIDv7: ids sort by the time they were made, which keeps index inserts together. */
export function newId<Id extends string>(): Id {
  return v7() as Id;
}

/** Whether `text` is a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return validate(text);
}

/** The id in lower case, or undefined when `text` is no UUID. */
export function parseId<Id extends string>(text: string): Id | undefined {
  return validate(text) ? (text.toLowerCase() as Id) : undefined;
}
