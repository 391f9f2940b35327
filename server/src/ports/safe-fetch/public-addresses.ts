import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The IPv6 range that is allocated for the internet; the rest of the library's unicast range is unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address, as resolvers write them, is reachable from the whole internet. */
export function isPublicAddress(address: string): boolean {
  // The library also reads `127.1` and `010.0.0.1`, which no resolver writes. One with a zone belongs to one link.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
