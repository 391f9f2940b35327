import ipaddr from 'ipaddr.js';

const MAPPED_IPV4 = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');

/**
 * Returns the network that counts as one client: the address itself for IPv4, the first 64 bits for IPv6, because
 * whoever has one such address has all of them (RFC 6177, section 2). Any other text is returned as it is.
 */
export function networkOf(address: string): string {
  const text = address.toLowerCase().split('%', 1)[0] ?? '';
  if (!ipaddr.IPv6.isValid(text)) return text;
  const parsed = ipaddr.IPv6.parse(text);
  if (parsed.match(MAPPED_IPV4)) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
