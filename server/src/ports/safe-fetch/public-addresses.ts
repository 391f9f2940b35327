import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The blocks of the IANA special-purpose registry of IPv4 (RFC 6890), and multicast, as of 2026. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Inside the global unicast block of IPv6: protocol assignments (Teredo among them, which leads to IPv4), 6to4 (too),
 * documentation, and AS112.
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [net, bits] of SPECIAL_IPV4) special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of SPECIAL_IPV6) special.addSubnet(net, bits, 'ipv6');

/** All that is handed out to the world; mapped IPv4, NAT64, loopback, link-local, unique local and multicast lie outside. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an address, as resolvers write them, is one that anybody on the internet may reach. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  // With a zone it is an address of one link, whatever its prefix says.
  if (!isIPv6(address) || address.includes('%')) return false;
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
