import { decodeText } from '@notevault/note-text/decode-text.ts';
import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import { type ArchiveFile, EntryRefused } from './archive/archive.ts';
import { isNote, nameBelow, type Place, storedPathOf, vaultPathOf } from './archive/names.ts';
import type { SkipReason } from './progress.ts';

/** A file to import. Its text and bytes throw EntryRefused and ArchiveError. */
export interface SourceFile {
  /** Name in reports. */
  readonly name: string;
  readonly mtime: number | null;
  readonly content:
    | { readonly kind: 'refused'; readonly reason: SkipReason }
    /** A file of the archive that is no file of the vault. */
    | { readonly kind: 'none' }
    | { readonly kind: 'note'; readonly path: string; text(): Promise<string> }
    | { readonly kind: 'attachment'; readonly path: string; bytes(): AsyncIterable<Uint8Array> };
}

/** A file of an archive, with its place in the vault. */
export interface PlacedFile extends ArchiveFile {
  readonly place: Place;
}

/** Places the files of an archive, without its root folder. @param listed the path of a file in a vault's list. */
export async function* placed(
  files: AsyncIterable<ArchiveFile>,
  root: string,
  listed: (name: string) => string | undefined = () => undefined,
): AsyncGenerator<PlacedFile> {
  for await (const { name: whole, mtime, refused, open } of files) {
    const name = nameBelow(root, whole);
    const path = listed(name);
    const place = path === undefined ? vaultPathOf(whole, root) : storedPathOf(path);
    yield { name, mtime, refused, open, place: 'path' in place && refused !== null ? { refused } : place };
  }
}

/** A file that is imported as it is, or refused. */
export function plainFile({ name, mtime, place, open }: PlacedFile): SourceFile {
  if ('refused' in place) return refusedFile(name, mtime, place.refused);
  const { path } = place;
  const content: SourceFile['content'] = isNote(path)
    ? { kind: 'note', path, text: () => textOf(open()) }
    : { kind: 'attachment', path, bytes: open };
  return { name, mtime, content };
}

export function refusedFile(name: string, mtime: number | null, reason: SkipReason): SourceFile {
  return { name, mtime, content: { kind: 'refused', reason } };
}

/** Throws EntryRefused for a text that is too large or in another encoding. */
export async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes) {
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
