/** A text of a stranger for people to read, on one line; null when there is none. */
export function cleanText(text: unknown, max = 255): string | null {
  if (typeof text !== 'string') return null;
  // Characters that turn the line around could show another host than there is.
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return clean === '' ? null : [...clean].slice(0, max).join('').trim();
}
