import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { LiveDocument } from './live-document.ts';

/** The memory of a document besides its text, measured on notes that were written once; and of each UTF-16 unit. */
const DOCUMENT_BYTES = 6_000;
const UNIT_BYTES = 4;

/** The documents in memory, with an estimate of the memory that they take. */
export class OpenDocuments {
  readonly #documents = new Map<NoteId, LiveDocument>();
  readonly #weights = new Map<NoteId, number>();
  #bytes = 0;

  get size(): number {
    return this.#documents.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get ids(): NoteId[] {
    return [...this.#documents.keys()];
  }

  get all(): LiveDocument[] {
    return [...this.#documents.values()];
  }

  get(id: NoteId): LiveDocument | undefined {
    return this.#documents.get(id);
  }

  has(id: NoteId): boolean {
    return this.#documents.has(id);
  }

  add(document: LiveDocument): void {
    this.#documents.set(document.id, document);
    this.weigh(document.id);
  }

  /** Removes this very document: the note may have been opened again meanwhile. */
  remove(document: LiveDocument): void {
    const { id } = document;
    if (this.#documents.get(id) !== document) return;
    this.#documents.delete(id);
    this.weigh(id);
  }

  weigh(id: NoteId): void {
    const document = this.#documents.get(id);
    const weight = document === undefined ? 0 : DOCUMENT_BYTES + document.length * UNIT_BYTES;
    this.#bytes += weight - (this.#weights.get(id) ?? 0);
    if (document === undefined) this.#weights.delete(id);
    else this.#weights.set(id, weight);
  }
}
