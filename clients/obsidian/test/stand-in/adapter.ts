import type { Device } from './device.ts';
import { parentOf, type Times } from './disk.ts';

/**
 * The files of the vault below the app's own view of them: hidden ones too (api: DataAdapter). The vault learns at once of
 * what is written through it.
 */
export class DataAdapter {
  readonly #device: Device;
  /** After it, nothing of this app reaches the disk. */
  isDead = false;

  constructor(device: Device) {
    this.#device = device;
  }

  getName(): string {
    return 'vault';
  }

  async exists(path: string, sensitive = false): Promise<boolean> {
    const found = (await this.#disk()).get(path);
    return found !== undefined && (!sensitive || found.path.normalize('NFC') === path.normalize('NFC'));
  }

  async stat(path: string): Promise<{ type: 'file' | 'folder'; ctime: number; mtime: number; size: number } | null> {
    const entry = (await this.#disk()).get(path);
    if (entry === undefined) return null;
    const { type, ctime, mtime } = entry;
    return { type, ctime, mtime, size: this.sizeOf(path) };
  }

  /** Returns the size as the system tells it: on Android 0 for a while after a write, see Faults. */
  sizeOf(path: string): number {
    const entry = this.#device.disk.get(path);
    if (entry === undefined || (entry.sizeZeroUntil ?? 0) > this.#device.clock.now()) return 0;
    return entry.bytes.byteLength;
  }

  async list(folder: string): Promise<{ files: string[]; folders: string[] }> {
    const entries = (await this.#disk()).list(folder === '/' ? '' : folder);
    const paths = (type: string) =>
      entries.filter((entry) => entry.type === type).map(({ path }) => path.normalize('NFC'));
    return { files: paths('file'), folders: paths('folder') };
  }

  async read(path: string): Promise<string> {
    const text = (await this.#disk()).text(path);
    if (text === null) throw new Error(`ENOENT: ${path}`);
    return text;
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    const entry = (await this.#disk()).get(path);
    if (entry === undefined || entry.type === 'folder') throw new Error(`ENOENT: ${path}`);
    return entry.bytes.slice().buffer;
  }

  async write(path: string, data: string, times: Times = {}): Promise<void> {
    const disk = await this.#disk();
    disk.write(path, data, times, this);
    if (this.#device.isOnceIn(this.#device.faults.sizeZeroIn)) disk.hideSize(path);
  }

  async writeBinary(path: string, data: ArrayBuffer, times: Times = {}): Promise<void> {
    const disk = await this.#disk();
    disk.write(path, new Uint8Array(data), times, this);
    if (this.#device.isOnceIn(this.#device.faults.sizeZeroIn)) disk.hideSize(path);
  }

  append(path: string, data: string, times: Times = {}): Promise<void> {
    return this.appendBinary(path, new TextEncoder().encode(data).buffer, times);
  }

  /** Since 1.12.3 (api). */
  async appendBinary(path: string, data: ArrayBuffer, times: Times = {}): Promise<void> {
    const disk = await this.#disk();
    const before = disk.get(path)?.bytes ?? new Uint8Array();
    const bytes = new Uint8Array(before.byteLength + data.byteLength);
    bytes.set(before);
    bytes.set(new Uint8Array(data), before.byteLength);
    disk.write(path, bytes, times, this);
  }

  async process(path: string, change: (data: string) => string, times: Times = {}): Promise<string> {
    const disk = await this.#disk();
    const text = disk.text(path);
    if (text === null) throw new Error(`ENOENT: ${path}`);
    const changed = change(text);
    if (changed !== text) disk.write(path, changed, times, this);
    return changed;
  }

  async mkdir(path: string): Promise<void> {
    const disk = await this.#disk();
    if (parentOf(path) !== '' && disk.get(parentOf(path)) === undefined) await this.mkdir(parentOf(path));
    if (disk.get(path) === undefined) disk.makeFolder(path, this);
  }

  /** Moves a file into `.trash` of the vault. */
  async trashLocal(path: string): Promise<void> {
    await this.mkdir('.trash');
    const disk = await this.#disk();
    const name = path.slice(path.lastIndexOf('/') + 1);
    let target = `.trash/${name}`;
    for (let copy = 2; disk.get(target) !== undefined; copy++) target = `.trash/${copy} ${name}`;
    disk.rename(path, target, this);
  }

  /** Returns whether the system has a trash and took the file: phones have none. */
  async trashSystem(path: string): Promise<boolean> {
    if (this.#device.isMobile) return false;
    (await this.#disk()).remove(path, this);
    return true;
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    const disk = await this.#disk();
    if (!recursive && disk.list(path).length > 0) throw new Error(`ENOTEMPTY: ${path}`);
    disk.remove(path, this);
  }

  async remove(path: string): Promise<void> {
    (await this.#disk()).remove(path, this);
  }

  async rename(path: string, to: string): Promise<void> {
    const disk = await this.#disk();
    if (parentOf(to) !== '' && disk.get(parentOf(to)) === undefined) throw new Error(`ENOENT: ${parentOf(to)}`);
    disk.rename(path, to, this);
  }

  async copy(path: string, to: string): Promise<void> {
    const disk = await this.#disk();
    const entry = disk.get(path);
    if (entry === undefined) throw new Error(`ENOENT: ${path}`);
    disk.write(to, entry.bytes, {}, this);
  }

  getResourcePath(path: string): string {
    return `app://local/${encodeURI(path)}`;
  }

  /** Returns the disk, after the time that a step takes; never for an app that was killed. */
  async #disk() {
    await this.#device.diskTurn();
    if (this.isDead) await new Promise(() => undefined);
    return this.#device.disk;
  }
}
