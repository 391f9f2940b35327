import {
  byNote,
  type DeviceNote,
  type Edits,
  type LocalCopy,
  type LocalStore,
  type NoteRef,
  type StashedNote,
  type UnsentCopy,
  withoutSent,
} from './local-store.ts';

interface Row {
  readonly note: NoteRef;
  readonly lineage: string;
  readonly updates: Uint8Array[];
  unsent: readonly Edits[];
}

/** Maximum copies without unsent edits. */
const SENT_COPIES = 20;

/**
 * Documents in the memory of this tab, for browsers without storage, so that closing a note does not lose its edits.
 */
export class TabStore implements LocalStore {
  readonly isDurable: boolean = false;
  /** Copies by note and lineage, the most recently written last. */
  readonly copies = new Map<string, Row>();
  #stashes = 0;
  #isEnded = false;

  async load(noteId: string): Promise<LocalCopy | null> {
    const found = this.#best(noteId);
    return found === undefined ? null : { ...found, updates: [...found.updates] };
  }

  async append(note: NoteRef, lineage: string, update: Uint8Array, edits: Edits | null): Promise<void> {
    if (this.#isEnded) return;
    const key = `${note.id} ${lineage}`;
    const row = this.copies.get(key) ?? { note, lineage, updates: [], unsent: [] };
    this.copies.delete(key);
    this.copies.set(key, row);
    row.updates.push(update);
    if (edits !== null) row.unsent = [...row.unsent.filter(({ writer }) => writer !== edits.writer), edits];
    const sent = [...this.copies].filter(([, { unsent }]) => unsent.length === 0);
    for (const [oldest] of sent.slice(0, -SENT_COPIES)) this.copies.delete(oldest);
  }

  async putBack(note: NoteRef, { lineage, updates, unsent }: LocalCopy): Promise<void> {
    for (const update of updates) await this.append(note, lineage, update, null);
    const row = this.copies.get(`${note.id} ${lineage}`);
    if (row !== undefined) row.unsent = [...withoutSent(unsent, row.unsent), ...row.unsent];
  }

  async compact(noteId: string, lineage: string, merge: (all: readonly Uint8Array[]) => Uint8Array): Promise<void> {
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.updates.splice(0, row.updates.length, merge(row.updates));
  }

  async markSent(noteId: string, lineage: string, sent: readonly Edits[]): Promise<void> {
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.unsent = withoutSent(row.unsent, sent);
  }

  async remove(noteId: string, lineage?: string): Promise<void> {
    for (const row of this.#rowsOf(noteId)) {
      if (lineage === undefined || row.lineage === lineage) this.copies.delete(`${noteId} ${row.lineage}`);
    }
  }

  async stash(noteId: string): Promise<readonly StashedNote[]> {
    const unsent = this.#rowsOf(noteId).filter((row) => row.unsent.length > 0);
    await this.remove(noteId);
    return unsent.map((row) => {
      const note = { ...row.note, id: `stash ${++this.#stashes}`, asideOf: noteId };
      this.copies.set(`${note.id} ${row.lineage}`, { ...row, note });
      return note;
    });
  }

  async unstash({ id, asideOf }: StashedNote): Promise<void> {
    const copy = await this.load(id);
    const note = this.#best(id)?.note;
    if (copy === null || note === undefined) return;
    await this.remove(id);
    await this.putBack({ id: asideOf, vaultId: note.vaultId, path: note.path }, copy);
  }

  async find(noteId: string): Promise<DeviceNote | null> {
    const found = this.#best(noteId);
    return found === undefined ? null : { ...found.note, hasUnsent: found.unsent.length > 0 };
  }

  async sentNotes(vaultId: string): Promise<readonly NoteRef[]> {
    const rows = [...this.copies.values()].filter(
      ({ note, unsent }) => note.vaultId === vaultId && unsent.length === 0,
    );
    return rows.map(({ note }) => note);
  }

  async unsentNotes(): Promise<readonly UnsentCopy[]> {
    return byNote([...this.copies.values()].map(({ note, unsent }) => ({ ...note, unsent })));
  }

  end(): void {
    this.#isEnded = true;
  }

  async clear(): Promise<boolean> {
    this.copies.clear();
    return true;
  }

  async hasOthers(): Promise<boolean> {
    return false;
  }

  async lock(): Promise<void> {
    for (const [key, { unsent }] of [...this.copies]) if (unsent.length === 0) this.copies.delete(key);
  }

  /** Does nothing: a tab holds few copies, of one account only. */
  async tidy(): Promise<void> {}

  #rowsOf(noteId: string): readonly Row[] {
    return [...this.copies.values()].filter(({ note }) => note.id === noteId);
  }

  #best(noteId: string): Row | undefined {
    const rows = this.#rowsOf(noteId);
    return rows.findLast(({ unsent }) => unsent.length > 0) ?? rows.at(-1);
  }
}
