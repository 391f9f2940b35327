import type { Doc } from 'yjs';

/** The name of the text in a note's document. */
export const TEXT = 'content';

/**
 * Names the history of a document by its first item, which only the server makes; null for an empty document. Two
 * documents of one note with different names must never be merged: the text would be there twice.
 */
export function lineageOf(doc: Doc): string | null {
  for (let item = doc.getText(TEXT)._start; item !== null; item = item.right) {
    if (item.origin === null && item.rightOrigin === null) return `${item.id.client}.${item.id.clock}`;
  }
  return null;
}
