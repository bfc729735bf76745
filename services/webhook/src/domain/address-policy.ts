import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GLOBAL_UNICAST_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-addresses.ts';

/** Which IP addresses something may be sent to. */
export interface AddressPolicy {
  /** Whether `address`, a textual IPv4 or IPv6 address, may be connected to. Anything that is not an address may not. */
  admits(address: string): boolean;
}

/** Whether `text` is a range that an address policy can be built with. */
export function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const specialIpv4 = SPECIAL_IPV4.map(rangeOf);
const specialIpv6 = SPECIAL_IPV6.map(rangeOf);
const globalUnicastIpv6 = rangeOf(GLOBAL_UNICAST_IPV6);

/**
 * Admits public unicast addresses and, beyond them, whatever lies in `allowedCidrs`. An IPv4 address that comes dressed
 * as IPv6 is judged as what it is written as, so that an allowed IPv4 range opens no second spelling. Throws on a bad
 * range. Implements docs/contract.md, section 7.
 */
export function addressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  const allowed = allowedCidrs.map(rangeOf);
  return {
    admits(text) {
      if (isIP(text) === 0 || text.includes('%')) return false;
      const address = ipaddr.parse(text);
      return liesInOne(address, allowed) || isPublicUnicast(address);
    },
  };
}

function isPublicUnicast(address: Address): boolean {
  if (address.kind() === 'ipv4') return !liesInOne(address, specialIpv4);
  return liesIn(address, globalUnicastIpv6) && !liesInOne(address, specialIpv6);
}

function liesInOne(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some((range) => liesIn(address, range));
}

function liesIn(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

function rangeOf(cidr: string): Range {
  return ipaddr.parseCIDR(cidr);
}
