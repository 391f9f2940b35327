import type { SealedNote } from '../notes/notes.ts';

/**
 * Bytes on their way to the search thread. Their memory goes with them instead of being copied: whoever sends them must
 * not read them again.
 */
export class Parcel {
  readonly #buffers = new Set<ArrayBuffer>();

  /** What goes with the message, once each. */
  get buffers(): ArrayBuffer[] {
    return [...this.#buffers];
  }

  /** The bytes as they can be posted: as they are, or copied out of a larger buffer that others read from. */
  bytes(read: Uint8Array): Uint8Array {
    const { buffer } = read;
    const own = buffer instanceof ArrayBuffer && buffer.byteLength === read.byteLength ? buffer : exact(read);
    this.#buffers.add(own);
    return new Uint8Array(own);
  }

  note(note: SealedNote): SealedNote {
    return { ...note, meta: this.bytes(note.meta), content: note.content === null ? null : this.bytes(note.content) };
  }
}

function exact(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
