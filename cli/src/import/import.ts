import { createHash } from 'node:crypto';
import { foldPath, normalizeNotePath, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { inParallel } from '../copy/in-parallel.ts';
import type { VaultClient } from '../copy/vault-client.ts';
import { errorMessage } from '../error-messages.ts';
import { hashOf, listFolder, readNote, type SkippedFile, statFile } from './files.ts';
import { isRejected } from './rejected.ts';

/** Maximum concurrent writes of notes. Concurrent writes share commits and keep the disk busy. */
const AT_ONCE = 32;
/** Maximum concurrent uploads: a few large files saturate a disk or a connection. */
const FILES_AT_ONCE = 4;

export type Step = 'notes' | 'attachments' | 'check';
type Progress = (step: Step, done: number, of: number) => void;

export interface Summary extends NoteTotals {
  readonly notes: number;
  /** Number of notes that were new or had a different text. */
  readonly written: number;
  readonly attachments: number;
  /** Number of attachments that were new or had different content. */
  readonly uploaded: number;
  readonly skipped: SkippedFile[];
  /** Files that could not be written, or whose stored content differs. */
  readonly failed: SkippedFile[];
}

interface NoteTotals {
  readonly links: number;
  readonly dangling: number;
  readonly degraded: string[];
}

/** The counts and lists of a running import. */
interface ImportRun {
  readonly root: string;
  readonly client: VaultClient;
  readonly progress: Progress;
  readonly skipped: SkippedFile[];
  readonly failed: SkippedFile[];
}

interface TargetPath {
  readonly file: string;
  readonly path: string;
}

/**
 * Copies a folder's files into a vault, then reads every note back to compare its hash and to count dangling links, now
 * that all notes exist. Attachments are compared by their hash.
 *
 * @param progress called often with each step's progress
 */
export async function importFolder(root: string, client: VaultClient, progress: Progress): Promise<Summary> {
  const listing = await listFolder(root);
  const run: ImportRun = { root, client, progress, skipped: [...listing.skipped], failed: [] };
  const taken = new Map<string, string>();
  const notes = await writeNotes(run, targetPathsFor(listing.notes, normalizeNotePath, taken, run.skipped));
  const files = await uploadFiles(run, targetPathsFor(listing.attachments, normalizePath, taken, run.skipped));
  const totals = await checkNotes(run, notes.hashes);
  return {
    ...{ notes: notes.hashes.size, written: notes.written, ...totals },
    ...{ ...files, skipped: run.skipped, failed: run.failed },
  };
}

async function writeNotes({ root, client, progress, skipped, failed }: ImportRun, wanted: readonly TargetPath[]) {
  const hashes = new Map<string, string>();
  let written = 0;
  const told = (done: number) => progress('notes', done, wanted.length);
  await inParallel(AT_ONCE, wanted, told, async ({ file, path }) => {
    const note = await readNote(root, file);
    if (note === null) return void skipped.push({ path: file, why: 'neither UTF-8 nor UTF-16' });
    const hash = createHash('sha256').update(note.content, 'utf8').digest('hex');
    hashes.set(path, hash);
    try {
      const before = await client.read(path);
      if (before?.content_hash === hash) return;
      await client.upsert({ path, ...note });
      written += 1;
    } catch (error) {
      hashes.delete(path);
      failed.push({ path: file, why: reasonOf(error) });
    }
  });
  return { hashes, written };
}

async function uploadFiles({ root, client, progress, skipped, failed }: ImportRun, wanted: readonly TargetPath[]) {
  const { files, damaged } = await client.list();
  failed.push(...damaged);
  const there = new Map(files.map((file) => [foldPath(file.path), file.content_hash]));
  let [attachments, uploaded] = [0, 0];
  const told = (done: number) => progress('attachments', done, wanted.length);
  await inParallel(FILES_AT_ONCE, wanted, told, async ({ file, path }) => {
    try {
      const stated = await statFile(root, file);
      const hash = await hashOf(stated.at);
      if (there.get(foldPath(path)) !== hash) {
        const stored = await client.upload(path, stated);
        if (stored.content_hash !== hash) return void failed.push({ path: file, why: 'changed during the import' });
        uploaded += 1;
      }
      attachments += 1;
    } catch (error) {
      const list = isRejected(error) ? skipped : failed;
      list.push({
        path: file,
        why: isRejected(error) ? 'the server does not allow this file type' : reasonOf(error),
      });
    }
  });
  return { attachments, uploaded };
}

async function checkNotes(
  { client, progress, failed }: ImportRun,
  hashes: ReadonlyMap<string, string>,
): Promise<NoteTotals> {
  let [links, dangling] = [0, 0];
  const degraded: string[] = [];
  const paths = [...hashes.keys()].sort();
  const told = (done: number) => progress('check', done, paths.length);
  await inParallel(AT_ONCE, paths, told, async (path) => {
    const note = await client.read(path);
    if (note === null || note.content_hash !== hashes.get(path)) {
      return void failed.push({
        path,
        why: note === null ? 'disappeared after it was written' : 'was read back with a different text',
      });
    }
    links += note.links.length;
    dangling += note.links.filter((link) => link.dangling).length;
    if (note.parse_status === 'degraded') degraded.push(path);
  });
  return { links, dangling, degraded: degraded.sort() };
}

/**
 * Returns each file's path in the vault. If two paths collide, the first file is imported.
 *
 * @param taken imported files by folded path; this call adds its own
 */
function targetPathsFor(
  files: readonly string[],
  normalize: (path: string) => string,
  taken: Map<string, string>,
  skipped: SkippedFile[],
): TargetPath[] {
  return files.flatMap((file) => {
    const path = storedPath(file, normalize);
    if (path instanceof PathError) {
      skipped.push({ path: file, why: `the path ${path.reason}` });
      return [];
    }
    const other = taken.get(foldPath(path));
    if (other !== undefined) {
      skipped.push({ path: file, why: `differs from ${other} only by case or Unicode form: rename one of them` });
      return [];
    }
    taken.set(foldPath(path), file);
    return [{ file, path }];
  });
}

function storedPath(file: string, normalize: (path: string) => string): string | PathError {
  try {
    return normalize(file);
  } catch (error) {
    if (error instanceof PathError) return error;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  return errorMessage(error).replace(/^notevault: /, '');
}
