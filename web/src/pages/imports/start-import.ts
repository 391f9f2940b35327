import type { ImportStarted } from '@notevault/protocol/imports.ts';
import { sendBytes } from '../../data/send-bytes.ts';
import { BASE } from '../../platform/base.ts';
import { session } from '../../session/app-session.ts';
import type { Preparation } from './import-view.ts';
import type { ImportSelection } from './picked.ts';
import { storedZip } from './stored-zip.ts';

interface StartOptions {
  readonly vaultId: string;
  readonly signal: AbortSignal;
  onProgress(preparation: Preparation): void;
}

/**
 * Uploads the selection to the server, which then runs a trial import without writing anything. Throws ApiError,
 * ConnectionError, and the signal's reason.
 */
export async function startImport(
  picked: Exclude<ImportSelection, { kind: 'fault' }>,
  { vaultId, signal, onProgress }: StartOptions,
): Promise<string> {
  const bytes = picked.kind === 'archive' ? picked.file : await zipOf(picked.files, signal, onProgress);
  const { id } = await sendBytes<ImportStarted>({
    method: 'POST',
    url: `${BASE}api/imports?vault_id=${encodeURIComponent(vaultId)}&dry_run=true`,
    headers: { authorization: `Bearer ${await session.token()}`, 'content-type': 'application/octet-stream' },
    bytes,
    signal,
    onProgress: (sent) => onProgress({ step: 'sending', done: sent, total: bytes.size }),
  });
  return id;
}

/** A folder is sent as one zip, because the server reports on all of it before it writes any. */
function zipOf(
  files: Extract<ImportSelection, { kind: 'files' }>['files'],
  signal: AbortSignal,
  onProgress: StartOptions['onProgress'],
): Promise<Blob> {
  return storedZip(files, {
    signal,
    onProgress: (read) => onProgress({ step: 'reading', done: read, total: files.length }),
  });
}
