import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { spelledWordsOf } from '@notevault/note-text/words.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { notesWithPhrase } from '../query/phrases.ts';
import { allowedNotes } from './query.ts';

/** A note whose text may have a name. */
export interface NamingNote {
  readonly id: string;
  /** UTF-8 bytes. */
  readonly size: number;
}

/**
 * Lists the notes whose texts may have one of some names, by id: those with its words one after another. Names in
 * scripts without blanks may be anywhere, because a dictionary cuts their words differently from place to place.
 */
export function namingNotes(
  index: VaultIndex,
  names: readonly string[],
  { after, limit }: { readonly after: string | null; readonly limit: number },
): NamingNote[] {
  const { segments } = index;
  const phrases = names.map((name) => spelledWordsOf(name).map(({ word }) => word));
  const mayBeAnywhere = phrases.some((words) => words.length === 0 || words.some(isUnspaced));
  const having = mayBeAnywhere ? null : phrases.map((words) => notesWithPhrase(segments, words));
  const found: NamingNote[] = [];
  for (const [at, segment] of segments.entries()) {
    const mask = allowedNotes(segment, { folder: null, tags: null });
    for (let note = 0; note < mask.length; note++) {
      if (mask[note] !== 1 || having?.some((masks) => masks[at]?.[note] === 1) === false) continue;
      const id = segment.id(note);
      if (after === null || id > after) found.push({ id, size: segment.facts.fileSize(note) });
    }
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
}
