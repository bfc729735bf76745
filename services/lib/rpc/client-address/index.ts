import { BlockList, isIP } from 'node:net';

export { addressKey } from './address-key.ts';

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
