import {
  type DeviceNote,
  type Edits,
  type LocalCopy,
  type LocalStore,
  type NoteRef,
  withoutSent,
} from '../collab/local-store.ts';

interface Row {
  readonly note: NoteRef;
  readonly lineage: string;
  readonly updates: Uint8Array[];
  unsent: readonly Edits[];
}

/** A store in memory, whose writes can be made to fail. */
export class MemoryStore implements LocalStore {
  readonly copies = new Map<string, Row>();
  failure: Error | null = null;

  async load(noteId: string): Promise<LocalCopy | null> {
    this.#check();
    const found = this.#best(noteId);
    return found === undefined ? null : { ...found, updates: [...found.updates] };
  }

  async append(note: NoteRef, lineage: string, update: Uint8Array, edits: Edits | null): Promise<void> {
    this.#check();
    const row = this.copies.get(`${note.id} ${lineage}`) ?? { note, lineage, updates: [], unsent: [] };
    this.copies.set(`${note.id} ${lineage}`, row);
    row.updates.push(update);
    if (edits !== null) row.unsent = [...row.unsent.filter(({ writer }) => writer !== edits.writer), edits];
  }

  async putBack(note: NoteRef, { lineage, updates, unsent }: LocalCopy): Promise<void> {
    for (const update of updates) await this.append(note, lineage, update, null);
    const row = this.copies.get(`${note.id} ${lineage}`);
    if (row !== undefined) row.unsent = [...withoutSent(unsent, row.unsent), ...row.unsent];
  }

  async compact(noteId: string, lineage: string, merge: (all: readonly Uint8Array[]) => Uint8Array): Promise<void> {
    this.#check();
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.updates.splice(0, row.updates.length, merge(row.updates));
  }

  async markSent(noteId: string, lineage: string, sent: readonly Edits[]): Promise<void> {
    this.#check();
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.unsent = withoutSent(row.unsent, sent);
  }

  async remove(noteId: string, lineage?: string): Promise<void> {
    this.#check();
    for (const [key, row] of [...this.copies]) {
      if (row.note.id === noteId && (lineage === undefined || row.lineage === lineage)) this.copies.delete(key);
    }
  }

  async find(noteId: string): Promise<DeviceNote | null> {
    const found = this.#best(noteId);
    return found === undefined ? null : { ...found.note, hasUnsent: found.unsent.length > 0 };
  }

  async unsentNotes(): Promise<readonly NoteRef[]> {
    const unsent = [...this.copies.values()].filter((row) => row.unsent.length > 0);
    return [...new Map(unsent.map(({ note }) => [note.id, note])).values()];
  }

  async clear(): Promise<boolean> {
    this.copies.clear();
    return true;
  }

  #best(noteId: string): Row | undefined {
    const rows = [...this.copies.values()].filter(({ note }) => note.id === noteId);
    return rows.findLast(({ unsent }) => unsent.length > 0) ?? rows.at(-1);
  }

  #check(): void {
    if (this.failure !== null) throw this.failure;
  }
}
