import { type Doc, decodeStateVector, encodeStateVector, type UndoManager } from 'yjs';
import { lineageOf } from './lineage.ts';

/** The document of a note with its undo history. */
export interface Steps {
  readonly doc: Doc;
  readonly undo: UndoManager;
}

/**
 * Undo histories of the notes closed last in this tab, so that undo still works after opening another note and coming
 * back.
 */
export class KeptSteps {
  readonly #steps = new Map<string, Steps>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the undo history of a note and removes it; null if there is none. */
  take(id: string): Steps | null {
    const steps = this.#steps.get(id) ?? null;
    this.#steps.delete(id);
    return steps;
  }

  /** Keeps the undo history of a note that is being closed, and takes over its document. */
  keep(id: string, steps: Steps): void {
    this.#drop(id);
    this.#steps.set(id, steps);
    const oldest = this.#steps.keys().next();
    if (this.#steps.size > this.#capacity && !oldest.done) this.#drop(oldest.value);
  }

  clear(): void {
    for (const id of [...this.#steps.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    const steps = this.take(id);
    if (steps !== null) destroySteps(steps);
  }
}

export function destroySteps({ doc, undo }: Steps): void {
  undo.destroy();
  doc.destroy();
}

/**
 * Returns whether a copy contains all of a document. Only then can the document be reused: its edits are stored as a
 * continuation of the copy.
 */
export function isContinuedBy(doc: Doc, copy: Doc): boolean {
  const known = decodeStateVector(encodeStateVector(copy));
  const own = [...decodeStateVector(encodeStateVector(doc))];
  return lineageOf(doc) === lineageOf(copy) && own.every(([client, clock]) => clock <= (known.get(client) ?? 0));
}
