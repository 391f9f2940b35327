import { ConnectionError } from '@notevault/client/transport.ts';
import { api } from '../../data/client.ts';
import { localAddress } from '../../data/local-address.ts';
import { saveAddress, saveFile } from '../../ui/controls/save-file.ts';
import { exportWay } from './export-way.ts';

interface DownloadOptions {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that arrived so far. */
  onProgress(received: number): void;
}

/**
 * Downloads a vault as a zip. Resolves when it is complete, to `page`; or when the browser has begun to download it, to
 * `browser`. Throws ApiError, ConnectionError, and the reason of the signal.
 */
export async function downloadVault(
  vaultId: string,
  { name, signal, onProgress }: DownloadOptions,
): Promise<'page' | 'browser'> {
  const attachments = await api.vault(vaultId).attachments();
  const way = exportWay(attachments.reduce((sum, { size_bytes: size }) => sum + size, 0));
  const address = localAddress(await api.imports.exportUrl(vaultId));
  if (way === 'browser') {
    saveAddress(name, address);
    return way;
  }
  saveFile(name, await fetchZip(address, signal, onProgress));
  return way;
}

async function fetchZip(address: string, signal: AbortSignal, onProgress: (received: number) => void): Promise<Blob> {
  const lost = (cause: unknown) => {
    signal.throwIfAborted();
    throw new ConnectionError('the connection broke', { cause });
  };
  const answer = await fetch(address, { signal }).catch(lost);
  if (!answer.ok || answer.body === null) throw new ConnectionError(`the download was refused with ${answer.status}`);
  let received = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      received += piece.length;
      onProgress(received);
      controller.enqueue(piece);
    },
  });
  return new Response(answer.body.pipeThrough(counter), { headers: { 'content-type': 'application/zip' } })
    .blob()
    .catch(lost);
}
