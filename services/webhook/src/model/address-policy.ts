import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Decides to which IP addresses we may connect. */
export interface AddressPolicy {
  /**
   * Returns whether we may connect to `address`, a textual IPv4 or IPv6 address. False for anything that is not an
   * address.
   */
  admits(address: string): boolean;
}

/** Returns whether an address policy can be built with the range `text`. */
export function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** CIDR ranges that the IANA special-purpose registries list as not globally reachable, and obsolete ones. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // "this network"
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
] as const;

/**
 * The only part of IPv6 that is allocated as global unicast. Everything outside it and NAT64 prefixes is refused:
 * unspecified, loopback, IPv4-mapped and -compatible, unique local, link-local, site-local, multicast.
 */
const GLOBAL_UNICAST_IPV6 = '2000::/3';

const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
] as const;

/** The NAT64 prefix (RFC 6052) that needs no configuration. */
const WELL_KNOWN_NAT64 = '64:ff9b::/96';
/** Where a network may have its own NAT64 prefix: global unicast, unique local, and RFC 8215. */
const NAT64_SPACES = [GLOBAL_UNICAST_IPV6, 'fc00::/7', '64:ff9b:1::/48'].map(rangeOf);
const NAT64_LENGTHS = [32, 40, 48, 56, 64, 96];
/** The byte for bits 64 to 71, which are zero in every NAT64 address. */
const ZERO_BYTE = 8;

const specialIpv4 = SPECIAL_IPV4.map(rangeOf);
const specialIpv6 = SPECIAL_IPV6.map(rangeOf);
const globalUnicastIpv6 = rangeOf(GLOBAL_UNICAST_IPV6);

/** Returns whether `text` is a valid prefix for a network's NAT64: of a length in RFC 6052, with no bits after it. */
export function isNat64Prefix(text: string): boolean {
  if (!ipaddr.IPv6.isValidCIDR(text)) return false;
  const [prefix, bits] = rangeOf(text);
  const bytes = prefix.toByteArray();
  return (
    NAT64_LENGTHS.includes(bits) &&
    liesInOne(prefix, NAT64_SPACES) &&
    bytes.slice(bits / 8).every((byte) => byte === 0) &&
    bytes[ZERO_BYTE] === 0
  );
}

/**
 * Returns a policy that admits public unicast addresses and those in `allowedCidrs`. An address in one of
 * `nat64Prefixes`, or in the well-known one, is checked by the IPv4 address in it, to which it is translated. Any other
 * IPv4 address in IPv6 notation is checked as IPv6, so that an allowed IPv4 range admits no second spelling. Throws on
 * an invalid range or prefix. Implements docs/contract.md, section 7.
 */
export function addressPolicy(
  allowedCidrs: readonly string[],
  nat64Prefixes: readonly string[] = [],
): AddressPolicy {
  const allowed = allowedCidrs.map(rangeOf);
  const bad = nat64Prefixes.find((prefix) => !isNat64Prefix(prefix));
  if (bad !== undefined) throw new Error('invariant violated: not a NAT64 prefix');
  // Longest first, as in routing.
  const nat64 = [WELL_KNOWN_NAT64, ...nat64Prefixes].map(rangeOf).sort(([, one], [, other]) => other - one);
  return {
    admits(text) {
      if (isIP(text) === 0 || text.includes('%')) return false;
      const address = ipaddr.parse(text);
      if (liesInOne(address, allowed)) return true;
      const prefix = nat64.find((range) => liesIn(address, range));
      const judged = prefix ? embeddedIpv4(address, prefix) : address;
      return judged !== undefined && isPublicUnicast(judged);
    },
  };
}

/** Returns the IPv4 address in an address of a NAT64 prefix; undefined if other bits follow the prefix. */
function embeddedIpv4(address: Address, [, bits]: Range): ipaddr.IPv4 | undefined {
  const behind = address.toByteArray().slice(bits / 8);
  if (bits < 96) {
    const [zero] = behind.splice(ZERO_BYTE - bits / 8, 1);
    if (zero !== 0) return undefined;
  }
  return behind.slice(4).every((byte) => byte === 0) ? new ipaddr.IPv4(behind.slice(0, 4)) : undefined;
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
