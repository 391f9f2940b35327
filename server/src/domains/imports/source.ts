import { decodeText } from '@notevault/note-text/decode-text.ts';
import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import {
  type Archive,
  ArchiveError,
  type ArchiveFile,
  type ArchiveLimits,
  EntryRefused,
  UnpackMeter,
} from './archive/archive.ts';
import { changedAt, ITEM, idOfFile, JoplinIndex, noteText, parseItem } from './archive/joplin.ts';
import { isNote, type Place, storedPathOf, vaultPathOf } from './archive/names.ts';
import type { RangeReader } from './archive/range-reader.ts';
import { isTar, openTar } from './archive/tar.ts';
import { readVaultList, type VaultList } from './archive/vault-list.ts';
import { openZip } from './archive/zip.ts';
import type { SkipReason } from './progress.ts';

const HEAD_BYTES = 512;

/** A file to import. Its text and bytes throw EntryRefused and ArchiveError. */
export interface SourceFile {
  /** As it is named in reports. */
  readonly name: string;
  readonly mtime: number | null;
  readonly content:
    | { readonly kind: 'refused'; readonly reason: SkipReason }
    /** A file of the archive that is no file of the vault. */
    | { readonly kind: 'none' }
    | { readonly kind: 'note'; readonly path: string; text(): Promise<string> }
    | { readonly kind: 'attachment'; readonly path: string; bytes(): AsyncIterable<Uint8Array> };
}

/** What is imported, in the same order each time. */
export interface Source {
  readonly total: number | null;
  /** Folders to create even if nothing is in them. */
  readonly folders: readonly string[];
  files(): AsyncIterable<SourceFile>;
}

/** Recognizes an archive by its first bytes and opens it. Throws ArchiveError. */
export async function openSource(reader: RangeReader, limits: ArchiveLimits): Promise<Source> {
  const head = Buffer.from(await reader.read(0, HEAD_BYTES));
  const meter = new UnpackMeter(limits, reader.size);
  if (head.toString('latin1', 0, 4).match(/^PK(?:\x03\x04|\x05\x06)/) !== null) {
    const open = (each: UnpackMeter) => openZip(reader, each, limits.entries);
    const list = await readVaultList(await open(new UnpackMeter(limits, reader.size)), limits.entries);
    const zip = await open(meter);
    return { total: zip.total, folders: list.folders, files: () => markdownFiles(zip, list) };
  }
  if (!isTar(head)) throw new ArchiveError('unsupported_archive');
  // Read twice, for the index and for the import; each reading is limited by itself.
  const { index, total } = await indexOf(openTar(reader, new UnpackMeter(limits, reader.size)));
  return { total, folders: [], files: () => joplinFiles(openTar(reader, meter), index) };
}

async function* markdownFiles(archive: Archive, list: VaultList): AsyncGenerator<SourceFile> {
  for await (const file of archive.files()) {
    const { name, mtime } = file;
    const listed = list.files.get(name);
    const place = importPathOf(file, listed?.path);
    if (list.isOwn(name)) yield { name, mtime, content: { kind: 'none' } };
    else if ('refused' in place) yield refused(name, mtime, place.refused);
    else yield { name: listed?.path ?? name, mtime: listed?.mtime ?? mtime, content: contentAt(place.path, file) };
  }
}

/** @param listed the path that a vault's list gives to the file. */
function importPathOf({ name, refused: reason }: ArchiveFile, listed?: string): Place {
  const place = listed === undefined ? vaultPathOf(name) : storedPathOf(listed);
  return 'path' in place && reason !== null ? { refused: reason } : place;
}

function refused(name: string, mtime: number | null, reason: SkipReason): SourceFile {
  return { name, mtime, content: { kind: 'refused', reason } };
}

function contentAt(path: string, file: ArchiveFile): SourceFile['content'] {
  if (isNote(path)) return { kind: 'note', path, text: () => textOf(file) };
  return { kind: 'attachment', path, bytes: () => file.open() };
}

/** Throws EntryRefused for a text that is too large or in another encoding. */
async function textOf(file: ArchiveFile): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of file.open()) {
    size += piece.length;
    // UTF-16 has up to twice the bytes of UTF-8.
    if (size > 2 * NOTE_BYTES_MAX) throw new EntryRefused('too_large');
    pieces.push(Buffer.from(piece));
  }
  const text = decodeText(Buffer.concat(pieces));
  if (text === null) throw new EntryRefused('not_utf8');
  if (Buffer.byteLength(text) > NOTE_BYTES_MAX) throw new EntryRefused('too_large');
  return text;
}

/** Reads the items of a Joplin export. Throws ArchiveError for a tar that is none. */
async function indexOf(tar: Archive): Promise<{ index: JoplinIndex; total: number }> {
  const index = new JoplinIndex();
  let total = 0;
  for await (const file of tar.files()) {
    total += 1;
    if (file.refused !== null || !isItem(file)) continue;
    const item = parseItem(await textOf(file).catch(emptyIfRefused));
    if (item !== null) index.add(item);
  }
  if (index.size === 0) throw new ArchiveError('unsupported_archive');
  index.assignPaths();
  return { index, total };
}

function emptyIfRefused(error: unknown): string {
  if (error instanceof EntryRefused) return '';
  throw error;
}

/** Whether a file is an item by its name: in the root, named by its id. */
function isItem({ name }: ArchiveFile): boolean {
  return /^(?:\.\/)?[0-9a-f]{32}\.md$/.test(name);
}

async function* joplinFiles(tar: Archive, index: JoplinIndex): AsyncGenerator<SourceFile> {
  for await (const file of tar.files()) {
    const place = importPathOf(file);
    if ('refused' in place) yield refused(file.name, file.mtime, place.refused);
    else yield isItem(file) ? await joplinNote(file, index) : joplinResource(file, index);
  }
}

async function joplinNote(file: ArchiveFile, index: JoplinIndex): Promise<SourceFile> {
  const { name } = file;
  let text: string;
  try {
    text = await textOf(file);
  } catch (error) {
    if (error instanceof EntryRefused) return refused(name, null, error.reason);
    throw error;
  }
  const item = parseItem(text);
  if (item === null || item.type !== ITEM.note) return { name, mtime: null, content: { kind: 'none' } };
  const path = index.pathOf(item.id);
  const isEncrypted = item.fields.get('encryption_applied') === '1';
  if (path === null || isEncrypted) return refused(name, null, isEncrypted ? 'encrypted' : 'damaged');
  const mtime = changedAt(item) ?? file.mtime;
  return { name: path, mtime, content: { kind: 'note', path, text: async () => noteText(item, index) } };
}

function joplinResource(file: ArchiveFile, index: JoplinIndex): SourceFile {
  const { name, mtime } = file;
  const id = idOfFile(name);
  const path = id === null ? null : index.pathOf(id);
  if (path === null) return refused(name, mtime, 'unsupported');
  return { name: path, mtime, content: { kind: 'attachment', path, bytes: () => file.open() } };
}
