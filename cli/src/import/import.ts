import { createHash } from 'node:crypto';
import { foldPath, normalizeNotePath, PathError } from '@notevault/note-text/paths.ts';
import { explain } from '../explain.ts';
import type { Door } from './doors.ts';
import { listFolder, readNote, type Skipped } from './files.ts';

/** Writes under way at once: they share commits, and none waits for another's disk. */
const AT_ONCE = 32;

export interface Summary {
  readonly notes: number;
  /** Notes whose text was not there yet, or another. */
  readonly written: number;
  readonly links: number;
  readonly dangling: number;
  readonly degraded: string[];
  readonly attachments: number;
  readonly skipped: Skipped[];
  /** Notes that could not be written, or came back with another text than their file has. */
  readonly failed: Skipped[];
}

/**
 * Copies the markdown files of a folder into a vault, then reads every note back: its hash must be its file's, and only
 * now, with all notes there, do its links say what dangles.
 *
 * @param progress called often, with the notes done of all in each of the two passes.
 */
export async function importFolder(
  root: string,
  door: Door,
  progress: (step: 'write' | 'check', done: number, of: number) => void,
): Promise<Summary> {
  const listing = await listFolder(root);
  const skipped = [...listing.skipped];
  const failed: Skipped[] = [];
  const hashes = new Map<string, string>();
  let written = 0;

  const wanted = placesFor(listing.notes, skipped);
  await inParallel(
    wanted,
    (done) => progress('write', done, wanted.length),
    async ({ file, path }) => {
      const note = await readNote(root, file);
      if (note === null) return void skipped.push({ path: file, why: 'not UTF-8' });
      const hash = createHash('sha256').update(note.content, 'utf8').digest('hex');
      hashes.set(path, hash);
      try {
        const before = await door.read(path);
        if (before?.content_hash === hash) return;
        await door.upsert({ path, ...note });
        written += 1;
      } catch (error) {
        hashes.delete(path);
        failed.push({ path: file, why: explain(error).replace(/^notevault: /, '') });
      }
    },
  );

  let [links, dangling] = [0, 0];
  const degraded: string[] = [];
  await inParallel(
    [...hashes.keys()].sort(),
    (done) => progress('check', done, hashes.size),
    async (path) => {
      const note = await door.read(path);
      if (note === null || note.content_hash !== hashes.get(path)) {
        return void failed.push({ path, why: note === null ? 'gone after writing' : 'came back with another text' });
      }
      links += note.links.length;
      dangling += note.links.filter((link) => link.dangling).length;
      if (note.parse_status === 'degraded') degraded.push(path);
    },
  );
  return {
    ...{ notes: hashes.size, written, links, dangling, degraded: degraded.sort() },
    ...{ attachments: listing.attachments.length, skipped, failed },
  };
}

/** The path of each file in the vault. Of two that a vault cannot hold beside each other, the first is taken. */
function placesFor(files: readonly string[], skipped: Skipped[]): { file: string; path: string }[] {
  const taken = new Map<string, string>();
  return files.flatMap((file) => {
    const path = storedPath(file);
    if (path instanceof PathError) {
      skipped.push({ path: file, why: `the path ${path.reason}` });
      return [];
    }
    const other = taken.get(foldPath(path));
    if (other !== undefined) {
      skipped.push({ path: file, why: `same name as ${other} but for case or Unicode form: rename one of them` });
      return [];
    }
    taken.set(foldPath(path), file);
    return [{ file, path }];
  });
}

function storedPath(file: string): string | PathError {
  try {
    return normalizeNotePath(file);
  } catch (error) {
    if (error instanceof PathError) return error;
    throw error;
  }
}

async function inParallel<Item>(
  items: readonly Item[],
  progress: (done: number) => void,
  work: (item: Item) => Promise<void>,
) {
  const queue = items.values();
  let done = 0;
  const worker = async () => {
    for (const item of queue) {
      await work(item);
      progress(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
