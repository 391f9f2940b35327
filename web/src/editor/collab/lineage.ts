import type { Doc } from 'yjs';

/** The name of the text in a note's document. */
export const TEXT = 'content';

/**
 * Returns the lineage of a document: the id of its first item, which only the server creates; null for an empty
 * document. Documents of one note with different lineages must never be merged: the text would appear twice.
 */
export function lineageOf(doc: Doc): string | null {
  for (let item = doc.getText(TEXT)._start; item !== null; item = item.right) {
    if (item.origin === null && item.rightOrigin === null) return `${item.id.client}.${item.id.clock}`;
  }
  return null;
}
