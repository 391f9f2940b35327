/** Synchronous storage that survives restarts, for noting current writes: `App.saveLocalStorage`. */
export interface LocalStorage {
  loadLocalStorage(key: string): unknown;
  saveLocalStorage(key: string, data: unknown): void;
}

/** A write that has begun. @property kept where the bytes from before are; null for a new file */
export interface BegunWrite {
  readonly path: string;
  readonly size: number;
  readonly kept: string | null;
}

/**
 * The writes that have begun and not ended. The app writes in place, so one that the system kills leaves an empty file,
 * which must not be taken for what somebody made of it.
 */
export class WriteJournal {
  readonly #storage: LocalStorage;
  readonly #key: string;
  readonly #begun = new Map<string, BegunWrite>();

  constructor(storage: LocalStorage, folderId: string) {
    this.#storage = storage;
    this.#key = `notevault-writes-${folderId}`;
  }

  /** Returns what had begun when the app ended. */
  left(): readonly BegunWrite[] {
    const left = this.#storage.loadLocalStorage(this.#key);
    return Array.isArray(left) ? (left as BegunWrite[]) : [];
  }

  begin(write: BegunWrite): void {
    this.#begun.set(write.path, write);
    this.#store();
  }

  end(path: string): void {
    this.#begun.delete(path);
    this.#store();
  }

  #store(): void {
    this.#storage.saveLocalStorage(this.#key, this.#begun.size === 0 ? null : [...this.#begun.values()]);
  }
}
