/**
 * What stands for one client among addresses: an IPv4 address whole, of an IPv6 address its first 64 bits, for whoever has
 * one such address has all of them (RFC 6177, section 2). Anything else stands for itself.
 */
export function networkOf(address: string): string {
  const text = address.toLowerCase().split('%', 1)[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  if (!text.includes(':')) return text;
  const [before = '', after] = text.split('::', 2);
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  // An IPv4 address at the end fills the last two of eight groups.
  const dotted = text.includes('.') ? 1 : 0;
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length - dotted);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
