import type { Doc } from 'yjs';

/** The name of the text in a note's document. */
export const TEXT = 'content';

/** Returns whether the server, which alone begins documents, has begun this one. */
export function isBegun(doc: Doc): boolean {
  return doc.getText(TEXT)._start !== null;
}
