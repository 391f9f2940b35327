import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { once } from '../files.ts';
import { BackupError, MANIFEST_FILE, type ObjectKind, type ObjectRef, objectPath } from '../format.ts';
import type { BackupTarget } from './take-backup.ts';

/** Writes a backup as a tar stream. Attachments pass through a temporary file, because their hash is their name. */
export async function openTarTarget(output: Writable, takenAt: Date): Promise<BackupTarget> {
  const scratch = await mkdtemp(join(tmpdir(), 'notevault-backup-'));
  return new TarTarget(scratch, output, takenAt);
}

class TarTarget implements BackupTarget {
  readonly scratch: string;
  readonly #pack: Pack = pack();
  readonly #written: Promise<void>;
  readonly #takenAt: Date;
  readonly #has = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(scratch: string, output: Writable, takenAt: Date) {
    this.scratch = scratch;
    this.#takenAt = takenAt;
    this.#written = pipeline(this.#pack, output);
    // Awaited by the next write; until then a failure must not be unhandled.
    this.#written.catch(() => undefined);
  }

  async has(kind: ObjectKind, { hash }: ObjectRef): Promise<boolean> {
    return this.#has.has(objectPath(kind, hash));
  }

  async put(kind: ObjectKind, hash: string, bytes: Uint8Array): Promise<void> {
    await this.#entry(objectPath(kind, hash), bytes.length, once(bytes));
  }

  async adopt(kind: ObjectKind, { hash, size }: ObjectRef, file: string): Promise<void> {
    await this.#entry(objectPath(kind, hash), size, createReadStream(file));
    await rm(file, { force: true });
  }

  async finish(name: string, manifest: string): Promise<void> {
    const bytes = Buffer.from(manifest);
    await this.#entry(`${name}/${MANIFEST_FILE}`, bytes.length, once(bytes));
    this.#pack.finalize();
    await this.#written;
  }

  async freeBytes(): Promise<null> {
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.scratch, { recursive: true, force: true });
  }

  async #entry(path: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#has.has(path)) return;
    for (const folder of parentsOf(path)) {
      if (this.#folders.has(folder)) continue;
      this.#pack.entry({ name: folder, type: 'directory', mode: 0o700, mtime: this.#takenAt }).end();
      this.#folders.add(folder);
    }
    const entry = this.#pack.entry({ name: path, size, mode: 0o600, mtime: this.#takenAt });
    for await (const piece of bytes) {
      // A copy, because the source may use its buffer again before the stream has passed the piece on.
      if (!entry.write(Buffer.from(piece))) await this.#untilOpen(entry, 'drain');
    }
    entry.end();
    await this.#untilOpen(entry, 'finish');
    this.#has.add(path);
  }

  /** Waits for an event of an entry. A reader that hangs up ends the output, which the entry alone would not notice. */
  async #untilOpen(entry: ReturnType<Pack['entry']>, event: 'drain' | 'finish'): Promise<void> {
    const ended = this.#written.then(() => {
      throw new BackupError('The reader of the backup stopped before its end.');
    });
    await Promise.race([new Promise<void>((resolve) => entry.once(event, () => resolve())), ended]);
  }
}

function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}
