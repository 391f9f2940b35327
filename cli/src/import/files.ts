import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { opendir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText } from '@notevault/note-text/decode-text.ts';

/** A file that was not imported, and the reason. */
export interface SkippedFile {
  readonly path: string;
  readonly why: string;
}

/** Files of a folder, grouped by how an import treats them. Paths are relative, with `/`. */
export interface Listing {
  readonly notes: string[];
  readonly attachments: string[];
  readonly skipped: SkippedFile[];
}

/**
 * Lists every file below a folder, ordered by path; hidden folders (`.obsidian`, `.trash`, `.git`) and links are left
 * out.
 */
export async function listFolder(root: string): Promise<Listing> {
  const listing: Listing = { notes: [], attachments: [], skipped: [] };
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) {
        listing.skipped.push({ path, why: entry.isDirectory() ? 'hidden folder' : 'hidden file' });
      } else if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink()) listing.skipped.push({ path, why: 'symbolic link' });
      else if (!entry.isFile()) listing.skipped.push({ path, why: 'not a regular file' });
      else if (/\.md$/i.test(entry.name)) listing.notes.push(path);
      else listing.attachments.push(path);
    }
  }
  listing.notes.sort();
  listing.attachments.sort();
  listing.skipped.sort((a, b) => (a.path < b.path ? -1 : 1));
  return listing;
}

/** Returns a file's absolute path, size and mtime (epoch seconds). */
export async function statFile(root: string, path: string): Promise<{ at: string; size: number; mtime: number }> {
  const at = join(root, path);
  const { size, mtimeMs } = await stat(at);
  return { at, size, mtime: mtimeMs / 1000 };
}

/** Returns the lower-case hex SHA-256 of a file, read in chunks. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Reads a note file's text and mtime (epoch seconds); null if it is neither UTF-8 nor UTF-16 with a byte order mark.
 */
export async function readNote(root: string, path: string): Promise<{ content: string; mtime: number } | null> {
  const file = join(root, path);
  const [bytes, { mtimeMs }] = await Promise.all([readFile(file), stat(file)]);
  const content = decodeText(bytes);
  return content === null ? null : { content, mtime: mtimeMs / 1000 };
}
