import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { ApiError, Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { decodeText } from '@notevault/note-text/decode-text.ts';
import { fetchWithProgress } from '../../data/fetch-with-progress.ts';
import { attachmentUrl } from '../../media/attachment-urls.ts';
import { serverUrl } from '../../platform/base.ts';
import { session } from '../../session/app-session.ts';
import { currentOutbox } from './current-outbox.ts';
import { keysOf } from './entry-keys.ts';
import type { Operation, Problem } from './operation.ts';
import { outboxState } from './outbox-state.ts';

/** How an upload went that was not refused. */
export interface UploadResult {
  /** Whether the server has the file; otherwise it waits here. */
  readonly isStored: boolean;
  /** Why the server does not take it yet, if it said so. */
  readonly delay: ApiError | null;
}

/**
 * Uploads a file to a free path. It is stored before it is sent, so that it stays pending if the server is away or the
 * tab closes. Throws the server's refusal and the signal's reason.
 */
export function uploadOrKeep(
  vault: string,
  path: string,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<UploadResult> {
  const fileId = crypto.randomUUID();
  const mtime = file.lastModified / 1000;
  const operation = { kind: 'file', fileId, path, bytes: file, mtime } as const;
  const send = async (to: VaultClient) => (await to.putAttachment(path, { bytes: () => file, mtime, over: null })).id;
  return sendOrKeep({ vault, id: fileId, operation, send, onProgress, signal });
}

/** Makes a note of a file, in the same way. */
export async function addNoteOrKeep(
  vault: string,
  path: string,
  file: File,
  signal: AbortSignal,
): Promise<UploadResult> {
  const content = decodeText(new Uint8Array(await file.arrayBuffer()));
  signal.throwIfAborted();
  if (content === null) throw new ApiError(415, { error: 'not_utf8' }, null);
  const id = crypto.randomUUID();
  const request = { path, content, mtime: file.lastModified / 1000 };
  const operation = {
    kind: 'note',
    noteId: id,
    path,
    content,
    attempt: content,
    unanswered: request,
    sent: null,
  } as const;
  // As it would be sent later: only the same request has the same key.
  const send = async (to: VaultClient) => (await to.upsertNote({ id, ...request, version: 0 })).id;
  return sendOrKeep({ vault, id, operation, send, onProgress: () => undefined, signal });
}

interface SendRequest {
  readonly vault: string;
  readonly id: string;
  readonly operation: Operation;
  /** Does the operation; resolves to the id that the server gave. */
  readonly send: (to: VaultClient) => Promise<string>;
  readonly onProgress: (sent: number) => void;
  readonly signal: AbortSignal;
}

async function sendOrKeep({ vault, id, operation, send, onProgress, signal }: SendRequest): Promise<UploadResult> {
  const outbox = await currentOutbox();
  const options = { fetch: fetchWithProgress(onProgress), tries: 1, keyOf: keysOf(id), signal };
  const client = new NotevaultClient(new Transport(serverUrl(), session, options)).vault(vault);
  const sendNow = () =>
    send(client).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  // While the server is known to be away, nobody waits for several tries.
  const isAway = !navigator.onLine || session.state.get().status !== 'in';
  const result = await (isAway ? outbox.run(vault, operation, id) : outbox.runWith(vault, operation, id, sendNow));
  if (result.type === 'done') return { isStored: true, delay: null };
  if (result.type === 'waiting')
    return { isStored: false, delay: result.delay === undefined ? null : errorOf(result.delay) };
  await outbox.discard(id);
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
