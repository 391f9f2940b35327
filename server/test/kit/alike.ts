import type { World } from './operations.ts';
import type { Answer } from './person.ts';
import type { Random } from './random.ts';

/* Whether two answers tell apart what belongs to somebody else from what belongs to nobody. */

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A value of the same form that belongs to nobody. */
export function nobodys(random: Random, value: string, hers: string, word: string): string {
  if (value.includes(hers)) return value.replaceAll(hers, word);
  const hex = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join('');
  if (new RegExp(`^${UUID.source}$`).test(value)) return `${value.slice(0, 14)}7${hex(3)}-a${hex(3)}-${hex(12)}`;
  return value.replace(/[A-Za-z0-9]/g, (letter) =>
    /\d/.test(letter) ? String(2 + random.below(8)) : random.pick([...'BCDFGHJKM']),
  );
}

/** An answer without what differs between any two calls, with names of things in place of their values. */
export function plainly({ status, headers, body }: Answer, world: World, words: readonly string[]): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length', 'etag'].includes(name));
  return normal(JSON.stringify([status, kept, body]), world, words);
}

/** A text with names of things in place of their values. */
export function normal(text: string, world: World, words: readonly string[]): string {
  const seen = new Map<string, string>();
  const named = Object.entries(world)
    .filter(([, value]) => value !== '')
    // Longest first, because a folder’s path is part of the paths of its notes.
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((done, [field, value]) => done.replaceAll(value, `<${field}>`), text);
  return (
    words
      .reduce((done, word) => done.replaceAll(word, '<word>'), named)
      .replace(UUID, (id) => {
        const known = seen.get(id) ?? `<id ${seen.size}>`;
        seen.set(id, known);
        return known;
      })
      .replaceAll(/(castor|pollux)\d+(@|%40)example\.org/g, '<email>')
      .replace(/nv_[a-z]+_[\w-]+/g, '<secret>')
      // The mark around data, which tools draw anew for each answer.
      .replace(/data-[0-9a-f]{16}/g, '<mark>')
      .replace(/[\w-]{40,}/g, '<opaque>')
      // RFC 4648 base32, as of authenticator apps. Cursors are replaced first, because one may begin like this.
      .replace(/\b[A-Z2-7]{32}\b/g, '<secret>')
  );
}

/** Returns the place where two texts differ. */
export function difference(one = '', other = ''): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `…${one.slice(from, at + 120)}… / …${other.slice(from, at + 120)}…`;
}
