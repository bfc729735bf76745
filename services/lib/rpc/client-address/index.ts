import { BlockList, isIP } from 'node:net';

/** The parts of a request that say where it came from. */
interface Arrived {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The address that a request came from: reading `X-Forwarded-For` from its end, the first that is not a trusted
 * proxy's, since the client may have made up everything before it; where there is none, the furthest proxy. It may not
 * be an address at all.
 */
export function clientAddress({ socket, headers }: Arrived, isProxy: (address: string) => boolean): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const path = [...forwarded, socket.remoteAddress ?? ''];
  return path.findLast((address) => !isProxy(address)) ?? path[0] ?? '';
}

/** Says whether an address lies in one of the CIDR ranges. Text that is not an address lies in none. */
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
/** A client with one IPv6 address usually has all of its /64. */
const NETWORK_GROUPS = 4;

/**
 * What an address is counted as: an IPv4 address as itself, also when written as IPv6; an IPv6 address as its /64;
 * everything that is not an address, as a proxy may forward it, counts as one.
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

/** The eight groups in lower case without leading zeros. The URL parser knows every way to write them. */
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
