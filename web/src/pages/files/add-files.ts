import { foldPath } from '@notevault/note-text/paths.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { PickedFile } from '../imports/picked.ts';
import { targetPath } from './target-path.ts';

/** How far adding files is, in bytes. */
export interface AddProgress {
  readonly sent: number;
  readonly total: number;
}

interface AddOptions {
  readonly vault: string;
  readonly folder: string;
  readonly tree: VaultTree | undefined;
  readonly signal: AbortSignal;
  onProgress(progress: AddProgress): void;
}

/** The files that were not added, with the reason of each. */
export type AddFailures = readonly { readonly path: string; readonly error: unknown }[];

const AT_ONCE = 3;

/** Adds files to a folder: notes as notes, everything else as attachments. Throws the reason of the signal. */
export async function addFiles(files: readonly PickedFile[], options: AddOptions): Promise<AddFailures> {
  const { folder, tree, signal, onProgress } = options;
  const taken = new Set([...(tree?.notes ?? []), ...(tree?.attachments ?? [])].map(({ path }) => foldPath(path)));
  const waiting = files.map(({ path, file }) => ({ path: targetPath(folder, path, taken), file }));
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const failures: { path: string; error: unknown }[] = [];
  const sent = new Map<string, number>();
  const report = (path: string, bytes: number) => {
    sent.set(path, bytes);
    onProgress({ sent: [...sent.values()].reduce((sum, one) => sum + one, 0), total });
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { path, file } = next;
      await addFile(path, file, options, (bytes) => report(path, bytes)).catch((error: unknown) => {
        signal.throwIfAborted();
        failures.push({ path, error });
      });
      report(path, file.size);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}

/** Adds a file; where the server does not answer, it waits on this device. Throws also why the server does not take it yet. */
async function addFile(
  path: string,
  file: File,
  { vault, signal }: AddOptions,
  onProgress: (sent: number) => void,
): Promise<void> {
  const { addNoteOrKeep, uploadOrKeep } = await import('../../device/outbox/files.ts');
  const { delay } = /\.md$/i.test(path)
    ? await addNoteOrKeep(vault, path, file, signal)
    : await uploadOrKeep(vault, path, file, onProgress, signal);
  if (delay !== null) throw delay;
}
