import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';

const MAXIMUM_LENGTH = 2_048;
const MAXIMUM_HOST_LENGTH = 253;
const MAXIMUM_LABEL_LENGTH = 63;
/** Letters, digits and hyphens, plus underscores, which some hosts have. */
const HOST_LABEL = /^[a-z0-9_-]+$/;
/** Names that no public host has, including their subdomains. */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** The URL in the form that is stored and used, or a sentence for staff that explains why it is invalid. */
export type EndpointUrlCheck =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly message: string };

/**
 * Checks a URL for events: https, a public host, at most 2048 characters, no credentials, no fragment. `policy` checks
 * an IP literal in the URL parser's form, whatever its notation; the addresses of a name are checked at every
 * connection. Implements docs/contract.md, section 7.
 */
export function checkEndpointUrl(text: string, policy: AddressPolicy): EndpointUrlCheck {
  const message = textFault(text) ?? urlFault(text, policy);
  return message === undefined ? { ok: true, url: new URL(text).href } : { ok: false, message };
}

/** Returns a fault of the text, more strictly than a URL parser. */
function textFault(text: string): string | undefined {
  if ([...text].length > MAXIMUM_LENGTH) return `must have at most ${MAXIMUM_LENGTH} characters`;
  if (/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(text)) {
    return 'must not contain white space, control characters, invisible characters or backslashes';
  }
  if (!/^https:\/\/[^/?#]/i.test(text)) return 'must begin with https:// and a host';
  if (text.includes('#')) return 'must not have a fragment';
  if (/^https:\/\/[^/?]*@/i.test(text)) return 'must not contain credentials';
  if (/^https:\/\/[^/?]*%/i.test(text)) return 'must not have a percent sign in the host';
  return undefined;
}

function urlFault(text: string, policy: AddressPolicy): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.href.length > MAXIMUM_LENGTH)
    return `must have at most ${MAXIMUM_LENGTH} characters in its normalized form`;
  if (url.port === '0') return 'must not use port 0';
  return hostFault(url.hostname, policy);
}

function hostFault(hostname: string, policy: AddressPolicy): string | undefined {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(literal) !== 0) {
    return policy.admits(literal) ? undefined : 'must have a public address';
  }
  return nameFault(hostname.replace(/\.$/, ''));
}

/** `name` comes from the URL parser: lower case, ASCII, and without the trailing root dot. */
function nameFault(name: string): string | undefined {
  const labels = name.split('.');
  if (name.length > MAXIMUM_HOST_LENGTH || labels.some((label) => label.length > MAXIMUM_LABEL_LENGTH)) {
    return 'has a host name that is too long';
  }
  if (labels.some((label) => label === '')) return 'has a host name with an empty part';
  if (!labels.every((label) => HOST_LABEL.test(label))) return 'has a host name with invalid characters';
  if (PRIVATE_NAMES.includes(labels.at(-1) ?? '')) return 'must not be a local or internal host';
  if (labels.length < 2) return 'must have a public host name';
  return undefined;
}
