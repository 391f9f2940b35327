import type { DiskFile } from '@notevault/sync/engine/ports.ts';
import type { Stat, TFile, Vault } from 'obsidian';

/** Verified facts about a file's bytes, besides the system's. @property size found by reading or writing the bytes */
interface Proof {
  readonly mtime: number;
  readonly size: number;
}

/**
 * File facts for the engine. A size of 0 or an unchanged size proves nothing, because Android reports it for a while
 * after a write. There is no change time, and a file's identity is the app's object.
 */
export class FileFacts {
  readonly #vault: Vault;
  readonly #ids = new WeakMap<TFile, string>();
  /** The listings of the last run of the app, by path. */
  readonly #before: ReadonlyMap<string, DiskFile>;
  readonly #proofs = new Map<string, Proof>();
  /** Times at which a file was reported as changed although its facts had not changed. */
  readonly #touched = new Map<string, number>();

  readonly #uuid: () => string;

  constructor(vault: Vault, before: ReadonlyMap<string, DiskFile>, uuid: () => string) {
    this.#vault = vault;
    this.#before = before;
    this.#uuid = uuid;
  }

  /** Returns the facts of a file, as the app or the system tells them; of one with the size 0, its bytes tell it. */
  async of(path: string, stat: Pick<Stat, 'mtime' | 'size'>, file: TFile | null): Promise<DiskFile> {
    const proof = this.#proofs.get(path);
    const isProved = proof?.mtime === stat.mtime;
    if (!isProved && stat.size === 0) await this.#prove(path, stat.mtime);
    return this.#shown(path, stat, file);
  }

  /** Returns a file's facts if they are known without reading the file. */
  known(path: string, stat: Pick<Stat, 'mtime' | 'size'>, file: TFile | null): DiskFile | null {
    return stat.size === 0 && this.#proofs.get(path)?.mtime !== stat.mtime ? null : this.#shown(path, stat, file);
  }

  #shown(path: string, { mtime, size }: Pick<Stat, 'mtime' | 'size'>, file: TFile | null): DiskFile {
    const proof = this.#proofs.get(path);
    const trueSize = proof?.mtime === mtime ? proof.size : size;
    const shown = { path, size: trueSize, mtimeMs: mtime, ctimeMs: this.#touched.get(path) ?? null };
    return { ...shown, fileId: file === null ? null : this.#idOf(file, shown) };
  }

  /** Notes what was read or written. */
  proved(path: string, mtime: number, size: number): void {
    this.#proofs.set(path, { mtime, size });
  }

  /** Returns whether an event tells only of what is known. */
  isKnown(path: string, { mtime, size }: Pick<Stat, 'mtime' | 'size'>): boolean {
    const proof = this.#proofs.get(path);
    return proof?.mtime === mtime && (proof.size === size || size === 0);
  }

  /** A file was told to have changed. Where time and size are the same as before, that alone says so. */
  changed(path: string, stat: Pick<Stat, 'mtime' | 'size'>, listed: DiskFile | undefined, now: number): void {
    this.#proofs.delete(path);
    if (listed?.mtimeMs === stat.mtime && listed.size === stat.size) this.#touched.set(path, now);
  }

  /** Makes the next run read a file again. */
  doubt(path: string, now: number): void {
    this.#touched.set(path, now);
  }

  gone(path: string): void {
    this.#proofs.delete(path);
    this.#touched.delete(path);
  }

  moved(from: string, to: string): void {
    const proof = this.#proofs.get(from);
    const touched = this.#touched.get(from);
    this.gone(from);
    if (proof !== undefined) this.#proofs.set(to, proof);
    if (touched !== undefined) this.#touched.set(to, touched);
  }

  /** Gives a file that was replaced by server content a new identity, as a disk does. */
  replaced(file: TFile): void {
    this.#ids.set(file, this.#uuid());
  }

  #idOf(file: TFile, shown: Omit<DiskFile, 'fileId'>): string {
    const known = this.#ids.get(file);
    if (known !== undefined) return known;
    const before = this.#before.get(shown.path);
    const isSame = before?.size === shown.size && before.mtimeMs === shown.mtimeMs;
    const id = (isSame ? before.fileId : null) ?? this.#uuid();
    this.#ids.set(file, id);
    return id;
  }

  async #prove(path: string, mtime: number): Promise<void> {
    const bytes = await this.#vault.adapter.readBinary(path).catch(() => null);
    if (bytes !== null) this.proved(path, mtime, bytes.byteLength);
  }
}
