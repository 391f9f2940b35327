/** Makes an untrusted text safe to show to people, on one line; null when nothing is left. */
export function cleanText(text: unknown, max = 255): string | null {
  if (typeof text !== 'string') return null;
  // Bidirectional control characters could make the line show another host than its own.
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return clean === '' ? null : [...clean].slice(0, max).join('').trim();
}
