import { BlockList, isIP } from 'node:net';

/** Says whether an address lies in one of the CIDR ranges. What is no address lies in none. */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
