import { Doc, encodeStateAsUpdate } from 'yjs';
import { lineageOf, TEXT } from './lineage.ts';
import type { LocalStore, NoteRef } from './local-store.ts';

/**
 * Yjs client id of seeded documents: the same in all tabs, so that two tabs create identical documents from one text.
 */
const SEED_CLIENT = 1;

/**
 * Creates the document of a note from its text, unless one exists. It is never merged with the server's document, which
 * has another lineage; the server receives its text.
 *
 * @param isStored whether the server has the text, so that only later edits are unsent.
 */
export async function seed(store: LocalStore, note: NoteRef, text: string, isStored: boolean): Promise<void> {
  if ((await store.find(note.id)) !== null) return;
  const { lineage, update } = seedOf(text);
  if (lineage !== null) await store.append(note, lineage, update, isStored ? null : { writer: 'seed', upTo: 1 });
}

/** Returns a document with the text, as an update, and its lineage. */
export function seedOf(text: string): { readonly lineage: string | null; readonly update: Uint8Array } {
  const doc = new Doc();
  doc.clientID = SEED_CLIENT;
  const content = doc.getText(TEXT);
  // An empty note needs a first item too, which identifies its lineage.
  content.insert(0, text === '' ? ' ' : text);
  if (text === '') content.delete(0, 1);
  const seeded = { lineage: lineageOf(doc), update: encodeStateAsUpdate(doc) };
  doc.destroy();
  return seeded;
}
