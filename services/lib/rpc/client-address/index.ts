import { BlockList, isIP } from 'node:net';

/** The parts of a request that identify its origin. */
interface Arrived {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Returns the address that a request came from. Reads `X-Forwarded-For` from the end and returns the first address that
 * is not a trusted proxy, because the client may have made up everything before it. Returns the furthest proxy if all
 * are proxies. The result may not be a valid address.
 */
export function clientAddress({ socket, headers }: Arrived, isProxy: (address: string) => boolean): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const path = [...forwarded, socket.remoteAddress ?? ''];
  return path.findLast((address) => !isProxy(address)) ?? path[0] ?? '';
}

/** Returns a check for whether an address is in one of the CIDR ranges. Malformed addresses are in none. */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const GROUPS = 8;
/** A client with one IPv6 address usually controls its whole /64. */
const NETWORK_GROUPS = 4;

/**
 * Returns the key to count an address under: an IPv4 address itself, including when written as IPv6; the /64 of an IPv6
 * address; one shared key for anything malformed that a proxy forwards.
 */
export function addressKey(address: string): string {
  const plain = address.split('%', 1)[0] ?? '';
  const family = isIP(plain);
  if (family === 4) return plain;
  if (family !== 6) return 'none';
  const groups = groupsOf(plain);
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return dotted(groups.slice(6));
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Returns the eight groups in lower case without leading zeros. The URL parser handles every notation. */
function groupsOf(address: string): string[] {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = shortest.split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const zeros = new Array<string>(GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

function dotted(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
}
