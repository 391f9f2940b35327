import type { LocalCopy, LocalStore } from '../collab/local-store.ts';

interface Row {
  readonly updates: Uint8Array[];
  unsentBy: string[];
}

/** A store in memory, whose writes can be made to fail. */
export class MemoryStore implements LocalStore {
  readonly copies = new Map<string, Row>();
  failure: Error | null = null;

  async load(noteId: string): Promise<LocalCopy | null> {
    this.#check();
    const found = [...this.copies].filter(([key]) => key.startsWith(`${noteId} `)).at(-1);
    if (found === undefined) return null;
    const [key, { updates, unsentBy }] = found;
    return { lineage: key.slice(noteId.length + 1), updates: [...updates], unsentBy: [...unsentBy] };
  }

  async append(noteId: string, lineage: string, update: Uint8Array, unsentBy: string | null): Promise<void> {
    this.#check();
    const row = this.copies.get(`${noteId} ${lineage}`) ?? { updates: [], unsentBy: [] };
    this.copies.set(`${noteId} ${lineage}`, row);
    row.updates.push(update);
    if (unsentBy !== null && !row.unsentBy.includes(unsentBy)) row.unsentBy.push(unsentBy);
  }

  async compact(noteId: string, lineage: string, merge: (all: readonly Uint8Array[]) => Uint8Array): Promise<void> {
    this.#check();
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.updates.splice(0, row.updates.length, merge(row.updates));
  }

  async markSent(noteId: string, lineage: string, writers: readonly string[]): Promise<void> {
    this.#check();
    const row = this.copies.get(`${noteId} ${lineage}`);
    if (row !== undefined) row.unsentBy = row.unsentBy.filter((one) => !writers.includes(one));
  }

  async remove(noteId: string, lineage?: string): Promise<void> {
    this.#check();
    for (const key of [...this.copies.keys()]) {
      if (lineage === undefined ? key.startsWith(`${noteId} `) : key === `${noteId} ${lineage}`)
        this.copies.delete(key);
    }
  }

  async unsentNotes(): Promise<readonly string[]> {
    return [...this.copies].filter(([, { unsentBy }]) => unsentBy.length > 0).map(([key]) => key.split(' ')[0] ?? '');
  }

  #check(): void {
    if (this.failure !== null) throw this.failure;
  }
}
