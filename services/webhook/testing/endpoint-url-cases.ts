import type { EndpointUrlCheck } from '../src/model/endpoint-url.ts';

/** A URL and the expected result when only public addresses are allowed. */
export type UrlCase = readonly [url: string, expected: Expected];

/** The stored form, SAME when it equals the input, or the refusal. */
export type Expected = string | Extract<EndpointUrlCheck, { ok: false }>;

export const SAME = 'as it was given';

const refused = (message: string) => ({ ok: false, message }) as const;

export const NOT_HTTPS = refused('must begin with https:// and a host');
export const STRAY_CHARACTER = refused(
  'must not contain white space, control characters, invisible characters or backslashes',
);
export const PERCENT = refused('must not have a percent sign in the host');
export const CREDENTIALS = refused('must not contain credentials');
export const FRAGMENT = refused('must not have a fragment');
export const NOT_A_URL = refused('is not a URL');
export const PORT_0 = refused('must not use port 0');
export const LOCAL = refused('must not be a local or internal host');
export const EMPTY_PART = refused('has a host name with an empty part');
export const ONE_PART = refused('must have a public host name');
export const NO_HOST_NAME = refused('has a host name with invalid characters');
export const TOO_LONG = refused('has a host name that is too long');
export const NOT_PUBLIC = refused('must have a public address');

/** Returns the cases of URLs with the same expected result. */
export const all = (expected: Expected, ...urls: string[]): UrlCase[] => urls.map((url) => [url, expected]);

/** Returns the expected result of a case. */
export function answerOf([url, expected]: UrlCase): EndpointUrlCheck {
  if (typeof expected !== 'string') return expected;
  return { ok: true, url: expected === SAME ? url : expected };
}
