/**
 * What the IANA special-purpose registries call not globally reachable, and what is obsolete, as CIDR ranges. Data,
 * kept apart from the policy that reads it.
 */
export const SPECIAL_IPV4 = [
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
 * The only part of IPv6 that is handed out as global unicast. Everything outside of it is refused without a name:
 * unspecified, loopback, IPv4-mapped and -compatible, NAT64, unique local, link-local, site-local, multicast.
 */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

export const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
] as const;
