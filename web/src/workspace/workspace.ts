import type { EditorSession } from '../editor/index.ts';
import { hasDialog } from '../ui/dialogs/held-focus.ts';
import { OpenNote } from './open-note.ts';

const CAPACITY = 200;

/** The notes open in this tab, and the state remembered of closed ones. */
export class Workspace {
  readonly #notes = new Map<string, OpenNote>();

  /** The note of an id, the same object for as long as it is open; the one asked for least recently is forgotten. */
  note(id: string): OpenNote {
    const note = this.#notes.get(id) ?? new OpenNote(() => !hasDialog());
    this.#notes.delete(id);
    this.#notes.set(id, note);
    if (this.#notes.size > CAPACITY) this.#forget(note);
    return note;
  }

  /** Whether a note is open in this tab. */
  isOpen(id: string): boolean {
    return this.#notes.get(id)?.session.get() != null;
  }

  /** Whether a note is open in this tab, and the server takes these edits of it from there. */
  async sends(id: string, edits: Parameters<EditorSession['sends']>[0]): Promise<boolean> {
    return (await this.#notes.get(id)?.session.get()?.sends(edits)) === true;
  }

  #forget(newest: OpenNote): void {
    for (const [id, note] of this.#notes) {
      if (note === newest || note.session.get() !== null) continue;
      this.#notes.delete(id);
      return;
    }
  }
}

export const workspace = new Workspace();
