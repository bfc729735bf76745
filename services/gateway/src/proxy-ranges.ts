import { BlockList, isIP } from 'node:net';
import { cidrList, loosened } from '@supplier/lib/runtime/config';

/**
 * CIDR ranges of proxies whose `X-Forwarded-For` is trusted. Outside a local deployment, a range may be at most a /8 of
 * IPv4, in any notation, or a /19 of public IPv6: no network of proxies is larger, and a client in it can claim any
 * address.
 */
export const proxyRanges = () =>
  loosened(cidrList(), (items) => (items.some(isWide) ? 'allows anyone to claim any address' : undefined));

const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');
const PRIVATE_IPV6 = new BlockList();
PRIVATE_IPV6.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_IPV6.addSubnet('fe80::', 10, 'ipv6');

function isWide(range: string): boolean {
  const [network = '', prefix] = range.split('/');
  const bits = Number(prefix);
  if (isIP(network) === 4) return bits < 8;
  if (PRIVATE_IPV6.check(network, 'ipv6')) return bits < 7;
  if (PUBLIC_IPV6.check(network, 'ipv6')) return bits < 19;
  // Elsewhere an address may represent one of IPv4 (mapped, NAT64), of which a /8 is the most.
  return bits < 96 + 8;
}
