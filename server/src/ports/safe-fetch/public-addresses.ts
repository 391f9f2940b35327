import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All of IPv6 that is handed out to the world; what the library calls unicast outside of it is not given to anybody. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address, as resolvers write them, is one that anybody on the internet may reach. */
export function isPublicAddress(address: string): boolean {
  // The library reads `127.1` and `010.0.0.1` too, which no resolver writes. With a zone it is an address of one link.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
