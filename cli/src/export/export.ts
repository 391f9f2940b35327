import { inParallel } from '../copy/in-parallel.ts';
import type { VaultClient } from '../copy/vault-client.ts';
import { CliError, errorMessage } from '../error-messages.ts';
import { FolderWriter, unwritable } from './folder-writer.ts';

const AT_ONCE = 16;
const FILES_AT_ONCE = 4;

export type Step = 'notes' | 'attachments';

export interface ExportSummary {
  readonly notes: number;
  readonly attachments: number;
  /** Files that this system does not allow, or that could not be read or written. */
  readonly failed: { readonly path: string; readonly why: string }[];
}

/**
 * Writes a vault's notes and attachments as files below a folder, with their mtimes. Each file is renamed into place
 * only after its hash matched the vault's.
 *
 * @param progress called often with each step's progress
 */
export async function exportVault(
  folder: string,
  client: VaultClient,
  progress: (step: Step, done: number, of: number) => void,
): Promise<ExportSummary> {
  const writer = new FolderWriter(folder);
  const failed: ExportSummary['failed'] = [];
  const attempt = async (path: string, write: () => Promise<void>, done: () => void = () => undefined) => {
    try {
      const why = unwritable(path);
      if (why !== null) throw new CliError(why);
      await write();
      done();
    } catch (error) {
      failed.push({ path, why: reasonOf(error) });
    }
  };

  const { notes: paths, files, damaged } = await client.list();
  failed.push(...damaged);
  const folders = await client.listFolders();
  let [notes, attachments] = [0, 0];
  for (const path of folders) await attempt(path, () => writer.makeFolder(path));
  const noteDone = (done: number) => progress('notes', done, paths.length);
  const writeNote = async (path: string) => {
    const note = await client.read(path);
    if (note === null) throw new CliError('was deleted or renamed during the export');
    await writer.write(path, once(Buffer.from(note.content)), { hash: note.content_hash, mtime: note.mtime });
  };
  await inParallel(AT_ONCE, paths, noteDone, (path) =>
    attempt(
      path,
      () => writeNote(path),
      () => {
        notes += 1;
      },
    ),
  );
  const fileDone = (done: number) => progress('attachments', done, files.length);
  await inParallel(FILES_AT_ONCE, files, fileDone, ({ path, content_hash: hash, mtime }) =>
    attempt(
      path,
      async () => writer.write(path, await client.bytesOf(path), { hash, mtime }),
      () => {
        attachments += 1;
      },
    ),
  );
  return { notes, attachments, failed: failed.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENAMETOOLONG') return 'the name is too long for this system';
  if (code === 'EILSEQ' || code === 'EINVAL') return 'this system does not allow the name';
  if (code === 'ENOSPC') return 'the disk is full';
  return errorMessage(error).replace(/^notevault: /, '');
}
