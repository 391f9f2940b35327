import type { SealedNote } from '../../../content/notes/notes.ts';

/**
 * The buffers of a message that move to the search thread instead of being copied. The sender must not read them once the
 * message is posted.
 */
export class TransferList {
  readonly #buffers = new Set<ArrayBuffer>();

  get buffers(): ArrayBuffer[] {
    return [...this.#buffers];
  }

  /** Adds bytes and returns them for the message: a copy, when they share their buffer with others. */
  add(bytes: Uint8Array): Uint8Array {
    const { buffer } = bytes;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
    const moved = isWhole ? buffer : new Uint8Array(bytes).buffer;
    this.#buffers.add(moved);
    return new Uint8Array(moved);
  }

  addNote(note: SealedNote): SealedNote {
    return { ...note, meta: this.add(note.meta), content: note.content === null ? null : this.add(note.content) };
  }
}
