import { Doc, encodeStateAsUpdate } from 'yjs';
import { lineageOf, TEXT } from './lineage.ts';
import type { LocalStore, NoteRef } from './local-store.ts';

/** The same in all tabs, so that what two of them make of one text is one document. */
const SEED_CLIENT = 1;

/**
 * Makes the document of a note of which only the text is here, unless there is one. It never meets that of the server,
 * which is made of its text.
 *
 * @param isStored whether the server has the text, so that only what is typed is unsent.
 */
export async function seed(store: LocalStore, note: NoteRef, text: string, isStored: boolean): Promise<void> {
  if ((await store.find(note.id)) !== null) return;
  const { lineage, update } = seedOf(text);
  if (lineage !== null) await store.append(note, lineage, update, isStored ? null : { writer: 'seed', upTo: 1 });
}

/** The document of a text, and what names its history. */
export function seedOf(text: string): { readonly lineage: string | null; readonly update: Uint8Array } {
  const doc = new Doc();
  doc.clientID = SEED_CLIENT;
  const content = doc.getText(TEXT);
  // Also an empty note needs a first item, by which its document is known.
  content.insert(0, text === '' ? ' ' : text);
  if (text === '') content.delete(0, 1);
  const seeded = { lineage: lineageOf(doc), update: encodeStateAsUpdate(doc) };
  doc.destroy();
  return seeded;
}
