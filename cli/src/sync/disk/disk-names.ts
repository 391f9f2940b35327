/**
 * The names of entries as the disk spells them. Vault paths are in NFC, while a disk may hold other forms; its names are
 * never rewritten only for that.
 */
export class DiskNames {
  /** Paths on the disk by path in NFC, of the entries where the two differ by their own names. */
  readonly #spelled = new Map<string, string>();

  set(path: string, spelled: string): void {
    if (path === spelled) this.#spelled.delete(path);
    else this.#spelled.set(path, spelled);
  }

  clear(): void {
    this.#spelled.clear();
  }

  /** Returns the path on the disk of an entry that is there, or that is to be made. */
  spelled(path: string): string {
    if (this.#spelled.size === 0) return path;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const known = this.#spelled.get(path.slice(0, end));
      if (known !== undefined) return known + path.slice(end);
    }
    return path;
  }
}
