import { once } from 'node:events';
import { Readable } from 'node:stream';
import { nameFault, portableName } from '@notevault/note-text/file-names.ts';
import { ancestorsOf, fileName, folderOf, foldPath, joinPath, numberedPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FAULTS_NAME, LIST_HEAD, LIST_NAME, type ListLine } from '@notevault/protocol/vault-zip.ts';
import { ZipFile } from 'yazl';
import { copiesOf } from '../../../../concurrency/opened-pieces.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { ExportDeps } from './tickets.ts';

/** Types whose bytes are compressed already. */
const PACKED = /\.(?:png|jpe?g|gif|webp|avif|heic|mp[34]|m4[av]|mov|webm|ogg|opus|flac|pdf|zip|docx|xlsx|pptx|epub)$/i;

/** The last second that a zip's times can hold. */
const TIME_MAX = 2 ** 31 - 1;

/** A file of the export. Reads its bytes when it is its turn; null when it is gone by then. */
interface ExportedFile {
  readonly path: string;
  /** Epoch seconds. */
  readonly mtime: number;
  open(): Promise<AsyncIterable<Uint8Array> | null>;
}

/**
 * Returns a vault as a zip, made while it is read: every note, attachment and folder with its time, at its path or the
 * nearest name that zip tools accept, and a list of both. Each file is as it is when its turn comes. Damaged ones are
 * left out and listed in a file at the end.
 */
export async function* exportVault(deps: ExportDeps, vault: OpenVault): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const writer = new ZipWriter(zip);
  const made = writeAll(deps, vault, writer).catch((error: unknown) => {
    (zip.outputStream as Readable).destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    yield* zip.outputStream as AsyncIterable<Buffer>;
  } finally {
    writer.stop();
    await made;
  }
}

async function writeAll(deps: ExportDeps, vault: OpenVault, writer: ZipWriter): Promise<void> {
  const { folders, files, unreadable } = await filesOf(deps, vault);
  const names = new ZipNames([...folders.map(({ path }) => path), ...files.map(({ path }) => path)]);
  for (const { path } of folders) writer.addFolder(names.nameOf(path));
  const explicit = folders.filter(({ isExplicit }) => isExplicit);
  const listed = [
    ...explicit.map(({ path }) => ({ name: `${names.nameOf(path)}/`, path })),
    ...files.map(({ path, mtime }) => ({ name: names.nameOf(path), path, mtime })),
  ];
  const now = deps.clock.now() / 1000;
  await writer.add(LIST_NAME, now, Readable.from(linesOf(listed)));
  const faults = unreadable.map(({ type, id }) => `${type} ${id}, whose path is not known`);
  for (const file of files) {
    if (writer.isStopped) return;
    const bytes = await file.open().catch((error: unknown) => {
      if (!(error instanceof NotevaultError) || !error.code.endsWith('_unreadable')) throw error;
      faults.push(file.path);
      return null;
    });
    if (bytes !== null) await writer.add(names.nameOf(file.path), file.mtime, bytes);
  }
  if (faults.length > 0) {
    const text = `These files are damaged and could not be read:\n${faults.join('\n')}\n`;
    await writer.add(FAULTS_NAME, now, Readable.from([Buffer.from(text)]));
  }
  writer.end();
}

function* linesOf(listed: readonly ListLine[]): Generator<Buffer> {
  for (const line of [LIST_HEAD, ...listed]) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

async function filesOf({ cache, notes, attachments, folders }: ExportDeps, vault: OpenVault) {
  return cache.snapshot(vault, async (snapshot) => {
    const listed: ExportedFile[] = [];
    const noteRows = await snapshot.rowsWithDamage(notes.cache);
    const fileRows = await snapshot.rowsWithDamage(attachments.cache);
    const unreadable = [...noteRows.unreadable, ...fileRows.unreadable];
    for (const { id, path, mtime } of await noteRows.sorted()) {
      const open = async () => {
        const note = await notes.getById(vault, id).catch(nullIfGone);
        return note === null ? null : Readable.from([Buffer.from(note.content)]);
      };
      listed.push({ path, mtime, open });
    }
    for (const { path, mtime } of await fileRows.sorted()) {
      const open = async () => {
        const file = await attachments.open(vault, path).catch(nullIfGone);
        return file === null ? null : file.bytes({ start: 0, end: file.attachment.size_bytes });
      };
      listed.push({ path, mtime, open });
    }
    const all = await folders.listAt(snapshot.handle, vault);
    const named = all
      .map(({ name, id }) => ({ path: name, isExplicit: id !== null }))
      .filter(({ path }) => path !== '');
    return { files: listed, unreadable, folders: named };
  });
}

function nullIfGone(error: unknown): null {
  if (error instanceof NotevaultError && error.code.endsWith('_not_found')) return null;
  throw error;
}

/** Adds files to a zip one after another, as fast as the zip is read. */
class ZipWriter {
  readonly #zip: ZipFile;
  #current: Readable | null = null;
  isStopped = false;

  constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  addFolder(path: string): void {
    this.#zip.addEmptyDirectory(path);
  }

  /** Resolves when the file is in the zip, or the zip is not read any more. */
  async add(name: string, mtime: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const stream = Readable.from(copiesOf(bytes), { objectMode: false });
    this.#current = stream;
    const closed = once(stream, 'close');
    // An error while reading bytes ends the zip, so that a truncated file does not look complete.
    stream.once('error', (error) => (this.#zip.outputStream as Readable).destroy(error));
    // The library throws for earlier times, in a callback that nothing can catch.
    const time = new Date(Math.min(TIME_MAX, Math.max(0, mtime)) * 1000);
    this.#zip.addReadStreamLazy(name, { mtime: time, compress: !PACKED.test(name) }, (give) => give(null, stream));
    if (this.isStopped) stream.destroy();
    await closed.catch(() => undefined);
  }

  end(): void {
    this.#zip.end();
  }

  stop(): void {
    this.isStopped = true;
    this.#current?.destroy();
  }
}

/** The names in a zip of a vault's paths: the paths themselves, unless a system cannot hold a file of that name. */
class ZipNames {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set([LIST_NAME, FAULTS_NAME].map(foldPath));

  /** @param paths all that will be named, so that a changed name takes none of theirs. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      // Start at the root: renaming a folder renames its contents.
      for (const each of [path, ...ancestorsOf(path)].reverse()) {
        if (!this.#isPortable(each)) break;
        this.#set(each, each);
      }
    }
  }

  nameOf(path: string): string {
    const known = path === '' ? '' : this.#names.get(foldPath(path));
    return known ?? this.#set(path, this.#freeName(path));
  }

  #freeName(path: string): string {
    const wanted = joinPath(this.nameOf(folderOf(path)), portableName(fileName(path)));
    for (let number = 1; ; number++) {
      const name = numberedPath(wanted, number);
      if (!this.#taken.has(foldPath(name))) return name;
    }
  }

  #isPortable(path: string): boolean {
    const key = foldPath(path);
    if (this.#taken.has(key)) return this.#names.has(key);
    return nameFault(fileName(path)) === null;
  }

  #set(path: string, name: string): string {
    const key = foldPath(path);
    this.#names.set(key, name);
    this.#taken.add(foldPath(name));
    return name;
  }
}
