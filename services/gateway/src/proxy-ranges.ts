import { isIP } from 'node:net';
import { cidrList, loosened } from '@supplier/lib/runtime/config';

/**
 * CIDR ranges of proxies whose `X-Forwarded-For` is trusted. Outside a local deployment they may cover at most a /8 of
 * public IPv4 addresses and a /19 of public IPv6 addresses in total, in any notation: no network of proxies is larger,
 * and a client in these ranges can claim any address. Private addresses do not count.
 */
export const proxyRanges = () =>
  loosened(cidrList(), (items) => {
    const ranges = items.flatMap((item) => rangeOf(item) ?? []).flatMap((range) => [range, ...asIpv4(range)]);
    const isWide = PUBLIC_SPACES.some((space) => publicAddresses(ranges, space) > space.most);
    return isWide ? 'allows anyone to claim any address' : undefined;
  });

/** First and last address, as IPv6 numbers; IPv4 addresses are mapped. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = 128;
const MAPPED_BITS = 96;

/** Ranges that are not public: private, local to one machine, or unassigned. */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
].flatMap((text) => rangeOf(text) ?? []);

const IPV4 = spaceOf('0.0.0.0/0');
/** Ranges in which every address represents an IPv4 address: NAT64, and the IPv4-compatible addresses of early IPv6. */
const STANDS_FOR_IPV4 = ['64:ff9b::/96', '::/96'].map(spaceOf);

const PUBLIC_SPACES = [
  { ...IPV4, most: 2n ** 24n },
  // A local NAT64 prefix, which may put the IPv4 address anywhere.
  { ...spaceOf('64:ff9b:1::/48'), most: 2n ** 24n },
  { ...spaceOf('2000::/3'), most: 2n ** BigInt(BITS - 19) },
];

function spaceOf(text: string): Range {
  const range = rangeOf(text);
  if (!range) throw new Error(`invariant violated: ${text} is not a CIDR range`);
  return range;
}

/** Returns the IPv4 addresses that an IPv6 range represents. */
function asIpv4(range: Range): Range[] {
  return STANDS_FOR_IPV4.flatMap((space) => {
    const part = overlap(range, space);
    const shift = IPV4.first - space.first;
    return part ? [{ first: part.first + shift, last: part.last + shift }] : [];
  });
}

/** Counts the public addresses of `space` in the ranges; an address in several ranges counts once. */
function publicAddresses(ranges: readonly Range[], space: Range): bigint {
  const own = ranges.flatMap((range) => overlap(range, space) ?? []);
  const apart = NOT_PUBLIC.flatMap((range) => overlap(range, space) ?? []);
  return size(union([...own, ...apart])) - size(union(apart));
}

function overlap(one: Range, other: Range): Range | undefined {
  const first = one.first > other.first ? one.first : other.first;
  const last = one.last < other.last ? one.last : other.last;
  return first > last ? undefined : { first, last };
}

function union(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const before = merged.at(-1);
    if (!before || range.first > before.last) merged.push(range);
    else if (range.last > before.last) merged[merged.length - 1] = { first: before.first, last: range.last };
  }
  return merged;
}

function size(ranges: readonly Range[]): bigint {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
}

/** Parses a CIDR range; undefined for other text. Ignores bits after the prefix, as networks do. */
function rangeOf(text: string): Range | undefined {
  const [network = '', prefix = '', ...more] = text.split('/');
  const family = isIP(network);
  if (family === 0 || more.length > 0 || network.includes('%') || !/^\d{1,3}$/.test(prefix)) return undefined;
  const bits = Number(prefix) + (family === 4 ? MAPPED_BITS : 0);
  if (bits > BITS) return undefined;
  const length = 2n ** BigInt(BITS - bits);
  const first = (numberOf(family === 4 ? `::ffff:${network}` : network) / length) * length;
  return { first, last: first + length - 1n };
}

/** Converts an IPv6 address to a number. The URL parser handles every notation. */
function numberOf(address: string): bigint {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce(
    (sum, group) => sum * 65_536n + BigInt(Number.parseInt(group, 16)),
    0n,
  );
}
