import characters from 'opencc-js/dict/TSCharacters';

/** The simplified form of each traditional character of the basic plane, where it is one character of that plane too. */
const simplifiedOf = new Map<string, string>();
for (const entry of characters.split('|')) {
  const [from = '', to = ''] = entry.split(' ');
  if (from.length === 1 && to.length === 1) simplifiedOf.set(from, to);
}

/** Matches the runs that may have traditional characters. */
export const traditional = /[\u3400-\u9fff]+/g;

const FIRST = 0x3400;
const isTraditionalAt = new Uint8Array(0xa000 - FIRST);
for (const character of simplifiedOf.keys()) isTraditionalAt[character.charCodeAt(0) - FIRST] = 1;

/** Returns whether a UTF-16 unit is a traditional character that has another simplified form. */
export function isTraditional(unit: number): boolean {
  return isTraditionalAt[unit - FIRST] === 1;
}

function hasTraditional(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isTraditional(text.charCodeAt(at))) return true;
  return false;
}

/** Replaces traditional characters one by one, each by one of the same length, as a reader of the simplified script would write them. */
export function simplified(text: string): string {
  if (!hasTraditional(text)) return text;
  let simple = '';
  for (const character of text) simple += simplifiedOf.get(character) ?? character;
  return simple;
}
