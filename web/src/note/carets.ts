import type { EditorCaret } from '../editor/index.ts';

const CAPACITY = 200;

/** Where the cursor was in the notes that this tab had open; those of the least recently left notes are dropped. */
class Carets {
  readonly #byNote = new Map<string, EditorCaret>();

  get(noteId: string): EditorCaret | undefined {
    return this.#byNote.get(noteId);
  }

  set(noteId: string, caret: EditorCaret): void {
    this.#byNote.delete(noteId);
    this.#byNote.set(noteId, caret);
    const oldest = this.#byNote.keys().next();
    if (this.#byNote.size > CAPACITY && !oldest.done) this.#byNote.delete(oldest.value);
  }
}

export const carets = new Carets();
