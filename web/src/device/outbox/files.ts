import { ApiError } from '@notevault/client/transport.ts';
import { attachmentUrl, uploadFile } from '../../media/attachment-urls.ts';
import { session } from '../../session/app-session.ts';
import { doInVault, outboxHere } from './here.ts';
import type { Problem } from './operation.ts';
import { outboxState } from './outbox-state.ts';
import { mayPass } from './replay.ts';

/** How an upload went that was not refused. */
export interface Uploaded {
  /** Whether the server has the file; otherwise it waits here. */
  readonly isStored: boolean;
  /** Why the server does not take it yet, if it said so. */
  readonly delay: ApiError | null;
}

/**
 * Uploads a file to a path where there is none, else keeps it until the server takes it. Throws what the server refuses,
 * and the reason of the signal.
 */
export async function uploadOrKeep(
  vault: string,
  path: string,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  // While it is known to be away, nobody waits for several tries.
  if (navigator.onLine && session.state.get().status === 'in') {
    try {
      await uploadFile(vault, path, file, onProgress, signal);
      return { isStored: true, delay: null };
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
    }
  }
  const id = crypto.randomUUID();
  const mtime = file.lastModified / 1000;
  const result = await doInVault(vault, { kind: 'file', fileId: id, path, bytes: file, mtime }, id);
  if (result.type === 'done') return { isStored: true, delay: null };
  if (result.type === 'waiting')
    return { isStored: false, delay: result.delay === undefined ? null : errorOf(result.delay) };
  await (await outboxHere()).discard(id);
  throw errorOf(result.problem);
}

function errorOf(problem: Problem): ApiError {
  return problem.reason === 'refused'
    ? new ApiError(problem.status, problem.body, null)
    : new ApiError(409, { error: 'conflict' }, null);
}

const shown = new Map<string, string>();

/** An address of an attachment for the elements of a page, also of one that waits for the server. */
export async function fileUrl(vault: string, path: string): Promise<string> {
  for (const { id, vault: of, operation, doneAt } of outboxState.get().entries) {
    if (of !== vault || doneAt !== null || operation.kind !== 'file' || operation.path !== path) continue;
    const known = shown.get(id) ?? URL.createObjectURL(operation.bytes);
    shown.set(id, known);
    return known;
  }
  return attachmentUrl(vault, path);
}
