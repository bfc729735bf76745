import { isIP } from 'node:net';

const GROUPS = 8;
/** A client with one IPv6 address usually controls its whole /64. */
const NETWORK_GROUPS = 4;

/** Returns the key to count an address under: IPv4, the /64 of IPv6, or one for anything malformed. */
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
