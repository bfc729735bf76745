import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { loosened } from './deployment.ts';

/** A comma-separated list of CIDR ranges; empty text is the empty list. */
export const cidrList = () =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .refine((items) => items.every(isCidr), 'is not a list of CIDR ranges');

/**
 * CIDR ranges of proxies whose `X-Forwarded-For` is trusted. Outside a local deployment, a range may be at most a /8 of
 * IPv4, in any notation, or a /19 of public IPv6: no network of proxies is larger, and a client in it can claim any
 * address.
 */
export const proxyRanges = () =>
  loosened(cidrList(), (items) => (items.some(isWide) ? 'allows anyone to claim any address' : undefined));

function isCidr(text: string): boolean {
  const [network = '', prefix = '', ...more] = text.split('/');
  const family = network.includes('%') ? 0 : isIP(network);
  const maxPrefix = family === 4 ? 32 : 128;
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix;
}

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
